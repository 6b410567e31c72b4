import type { TaskDetail } from '../../../../src/api/contract.ts';
import type { PointView } from '../../../../src/api/trace/trace-contract.ts';
import { now } from '../../../parts/clock.ts';
import { durationText, exactText, timeText } from '../../../parts/format.ts';
import { param, setParams } from '../../../parts/route.ts';
import type { ShownTask } from '../task-page.tsx';
import { type TurnMark, useTurns } from '../turns.ts';
import { PointBar } from './point-bar.tsx';
import { pointText, usePoints } from './points.ts';

/** Marks of a track that can be told apart. */
const MARKS_MAX = 240;

interface Mark {
  /** 0 to 100, from the left. */
  readonly x: number;
  readonly kind: string;
  readonly label: string;
  readonly eventId: number;
  readonly point: string | null;
  readonly isSuperseded: boolean;
}

interface Track {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly marks: readonly Mark[];
}

/** One track for each attempt, with marks for turns and for states that the task can be rewound to. */
export function Timeline({ shown, onChanged }: { readonly shown: ShownTask; readonly onChanged: () => void }) {
  const { task } = shown;
  const turns = useTurns(task.id);
  const points = usePoints(task.id);
  if (task.runs.length === 0) return null;
  const all = points.value.value ?? [];
  const { tracks, from, to } = tracksOf(task, turns.value.value?.marks ?? [], all);
  const chosen = all.find(({ point }) => point === param('point')) ?? null;
  return (
    <section class="timeline" aria-label="Timeline">
      <header class="pane-head">
        <h2>Timeline</h2>
        <span class="muted">
          {timeText(from, now.value)} to {timeText(to, now.value)}, {durationText(to - from)}
        </span>
        <span class="space" />
        <PointBar task={task.id} point={chosen} points={all} onChanged={onChanged} />
      </header>
      <div class="tracks">
        {tracks.map((track, at) => (
          <TrackRow key={at} track={track} />
        ))}
      </div>
    </section>
  );
}

function TrackRow({ track }: { readonly track: Track }) {
  return (
    <div class="track">
      <span class="track-name">{track.name}</span>
      <div class="lane">
        <div class="span" style={{ left: `${track.from}%`, width: `${Math.max(0.4, track.to - track.from)}%` }} />
        {track.marks.map((mark, at) => (
          <button
            key={at}
            type="button"
            class={`mark ${mark.kind} ${mark.isSuperseded ? 'superseded' : ''}`}
            style={{ left: `${mark.x}%` }}
            aria-label={mark.label}
            title={mark.label}
            aria-pressed={mark.point !== null && mark.point === param('point')}
            tabIndex={at === 0 || mark.point === param('point') ? 0 : -1}
            onKeyDown={({ key, currentTarget }) => moveFocus(currentTarget, key)}
            onClick={() => setParams({ at: String(mark.eventId), point: mark.point ?? '' })}
          />
        ))}
      </div>
    </div>
  );
}

/** The arrows move from mark to mark. */
function moveFocus(mark: HTMLElement, key: string): void {
  const next =
    key === 'ArrowRight' ? mark.nextElementSibling : key === 'ArrowLeft' ? mark.previousElementSibling : null;
  if (next instanceof HTMLButtonElement) next.focus();
}

function tracksOf(task: TaskDetail, turns: readonly TurnMark[], points: readonly PointView[]) {
  const starts = task.runs.map(({ startedAt }) => Date.parse(startedAt));
  const ends = task.runs.map(({ endedAt }) => (endedAt === null ? now.value : Date.parse(endedAt)));
  const times = points.map(({ at }) => Date.parse(at));
  const from = Math.min(...starts, ...times);
  const to = Math.max(...ends, ...times, from + 1_000);
  const place = (at: number) => ((at - from) / (to - from)) * 100;
  const tracks = task.runs.map((run, at): Track => {
    const own = (runId: string | null, when: number) =>
      runId === run.id || (runId === null && at === trackAt(when, starts));
    const marks = [
      ...turns.filter((turn) => own(turn.runId, turn.at)).map((turn) => turnMark(turn, place)),
      ...points.filter((point) => own(point.runId, Date.parse(point.at))).map((point) => pointMark(point, place)),
    ];
    return {
      name: `${at + 1} ${run.agent}`,
      from: place(starts[at] ?? from),
      to: place(ends[at] ?? to),
      marks: thinned(marks.sort((one, other) => one.x - other.x)),
    };
  });
  return { tracks, from, to };
}

/** The run in whose time an instant lies, or the last one before it. */
function trackAt(when: number, starts: readonly number[]): number {
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= when),
  );
}

function turnMark({ at, index, eventId }: TurnMark, place: (at: number) => number): Mark {
  const label = `Turn ${index + 1}, ${exactText(at)}`;
  return { x: place(at), kind: 'turn', label, eventId, point: null, isSuperseded: false };
}

function pointMark(point: PointView, place: (at: number) => number): Mark {
  const { added, changed, removed } = point.files;
  const files = added + changed + removed === 0 ? '' : `, +${added} ~${changed} −${removed} files`;
  const at = Date.parse(point.at);
  return {
    x: place(at),
    kind: `point ${point.kind}`,
    label: `Point ${point.point}, ${pointText(point)}, ${exactText(at)}${files}`,
    eventId: point.eventId,
    point: point.point,
    isSuperseded: point.isSuperseded,
  };
}

/** Points stay; of too many turns every so many is shown. */
function thinned(marks: readonly Mark[]): readonly Mark[] {
  const turns = marks.filter(({ point }) => point === null).length;
  const step = Math.ceil(turns / MARKS_MAX);
  if (step <= 1) return marks;
  let seen = 0;
  return marks.filter(({ point }) => point !== null || seen++ % step === 0);
}
