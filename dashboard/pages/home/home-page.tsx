import type { ComponentChildren } from 'preact';
import type {
  FinishedTask,
  NeedsYou,
  Overview,
  RunningTask,
  WaitingTask,
} from '../../../src/api/overview/overview-contract.ts';
import { overview } from '../../node/overview.ts';
import { useCalmList } from '../../parts/calm-list.ts';
import { Loaded } from '../../parts/states.tsx';
import { Shape, verdictOf } from '../../parts/verdict.tsx';
import { FinishedRow } from './finished-row.tsx';
import { FirstUse } from './first-use.tsx';
import { NeedsYouRow } from './needs-you-row.tsx';
import { RunningRow } from './running-row.tsx';
import { WaitingRow } from './waiting-row.tsx';

/** Attention first: what only a person can do, then what runs, then what is over. */
export function HomePage() {
  return (
    <Loaded of={overview} what="The overview">
      {(shown) => (isUnused(shown) ? <FirstUse overview={shown} /> : <Sections overview={shown} />)}
    </Loaded>
  );
}

function isUnused({ counts, finished, needsYou }: Overview): boolean {
  const tasks = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return tasks === 0 && finished.length === 0 && needsYou.length === 0;
}

function Sections({ overview: { needsYou, running, waiting, finished, totals } }: { readonly overview: Overview }) {
  return (
    <div class="home">
      <h1 class="unseen">Home</h1>
      <Section
        title="Needs you"
        total={totals.needsYou}
        items={needsYou}
        empty={<p class="empty good">Nothing needs you.</p>}
        row={(item: NeedsYou, isGone) => <NeedsYouRow key={item.id} item={item} isGone={isGone} />}
        more="/board?status=review"
      />
      <Section
        title="Running"
        total={totals.running}
        items={running}
        empty={<p class="empty">No agent is working.</p>}
        row={(task: RunningTask) => <RunningRow key={task.id} task={task} />}
        more="/board?status=in-progress"
      />
      {waiting.length > 0 && (
        <Section
          title="Waiting"
          total={totals.waiting}
          items={waiting}
          row={(task: WaitingTask) => <WaitingRow key={task.id} task={task} />}
          more="/board?status=ready"
        />
      )}
      {finished.length > 0 && (
        <Section
          title="Finished today"
          total={totals.finished}
          items={finished}
          aside={<FinishedCounts finished={finished} />}
          row={(task: FinishedTask) => <FinishedRow key={task.id} task={task} />}
          more="/board?status=done"
        />
      )}
    </div>
  );
}

/** How many of each verdict, and what stands first. */
function FinishedCounts({ finished }: { readonly finished: readonly FinishedTask[] }) {
  const kinds = finished.map(({ summary }) => verdictOf(summary).kind);
  const unapplied = finished.filter(({ work }) => work === 'waiting').length;
  return (
    <span class="counts">
      {(['failed', 'unchecked', 'checked'] as const).map((kind) => {
        const count = kinds.filter((each) => each === kind).length;
        return count === 0 ? null : (
          <span key={kind}>
            <Shape kind={kind} /> {count}
          </span>
        );
      })}
      {unapplied > 0 && <span class="muted">{unapplied} not applied, first</span>}
    </span>
  );
}

interface SectionProps<Item extends { readonly id: string }> {
  readonly title: string;
  /** The number of all, shown or not. */
  readonly total: number;
  readonly items: readonly Item[];
  readonly row: (item: Item, isGone: boolean) => ComponentChildren;
  readonly empty?: ComponentChildren;
  readonly aside?: ComponentChildren;
  /** The page with all of them. */
  readonly more: string;
}

function Section<Item extends { readonly id: string }>(props: SectionProps<Item>) {
  const { title, total, items, row, empty, aside, more } = props;
  const { shown, held, showHeld, watch } = useCalmList(items);
  const name = title.toLowerCase().replaceAll(' ', '-');
  const id = `section-${name}`;
  return (
    <section aria-labelledby={id} {...watch}>
      <header class="section">
        <h2 id={id}>
          {title} <span class="count">{total}</span>
        </h2>
        {aside}
        {held > 0 && (
          <button type="button" class="button plain small" onClick={showHeld}>
            {held} new
          </button>
        )}
      </header>
      {shown.length === 0 ? (
        empty
      ) : (
        <ul class={`rows ${name}`}>{shown.map(({ item, isGone }) => row(item, isGone))}</ul>
      )}
      {total > items.length && (
        <p class="more">
          <a href={more}>{total - items.length} more</a>
        </p>
      )}
    </section>
  );
}
