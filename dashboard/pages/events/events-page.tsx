import '../../style/events.css';
import { useEffect, useMemo } from 'preact/hooks';
import type { EventView } from '../../../src/api/contract.ts';
import { actorOf, sentenceOf } from '../../parts/event-sentence.ts';
import { counted, numberOf } from '../../parts/format.ts';
import { isOpened, toggle } from '../../parts/long-text.tsx';
import { param, setParams, withParams } from '../../parts/route.ts';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { Clock } from '../../parts/time.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { EventLog } from './event-log.ts';

const GROUPS = [
  ...['task.*', 'run.*', 'turn.*', 'order.*', 'work.*', 'question.*', 'review.*', 'protocol.*', 'incident.*'],
  ...['federation.*', 'delivery.*', 'capability.*', 'external.*'],
];

/** The record: every event in order, narrowed by what the address says, live unless it is held. */
export default function EventsPage() {
  const wanted = { task: param('task'), run: param('run'), session: param('session'), type: param('type') };
  const log = useMemo(() => new EventLog(wanted), [JSON.stringify(wanted)]);
  const isHeld = param('hold') !== '';
  useEffect(() => {
    void log.begin();
    return log.follow();
  }, [log]);
  useEffect(() => {
    log.setHeld(isHeld);
  }, [log, isHeld]);
  return (
    <div class="events-page">
      <header class="page-head">
        <h1>Events</h1>
        <Field name="task" label="Task" value={wanted.task} />
        <Field name="run" label="Run" value={wanted.run} />
        <Field name="session" label="Session" value={wanted.session} />
        <select
          aria-label="Type"
          value={wanted.type}
          onChange={({ currentTarget }) => setParams({ type: currentTarget.value })}
        >
          <option value="">every type</option>
          {wanted.type !== '' && !GROUPS.includes(wanted.type) && <option value={wanted.type}>{wanted.type}</option>}
          {GROUPS.map((group) => (
            <option key={group} value={group}>
              {group}
            </option>
          ))}
        </select>
        <a class="button plain" href={withParams({ hold: isHeld ? '' : '1' })}>
          {isHeld ? `Follow${log.held.value > 0 ? ` (${log.held.value.toLocaleString('en')} new)` : ''}` : 'Hold'}
        </a>
        {log.hasEarlier.value && (
          <button type="button" class="button plain" onClick={() => void log.earlier()}>
            Earlier
          </button>
        )}
        <span class="muted">{counted(log.events.value?.length ?? 0, 'event')} here</span>
      </header>
      <Log log={log} isHeld={isHeld} />
    </div>
  );
}

function Log({ log, isHeld }: { readonly log: EventLog; readonly isHeld: boolean }) {
  const events = log.events.value;
  if (log.error.value !== null)
    return <Failed error={log.error.value} what="The events" onRetry={() => void log.begin()} />;
  if (events === null) return <Skeleton rows={12} />;
  if (events.length === 0) return <p class="empty">No event fits.</p>;
  return (
    <VirtualList
      items={events}
      keyOf={({ eventId }) => eventId}
      estimate={29}
      label="Events"
      class="event-list"
      followsEnd={!isHeld}
      row={(event) => <EventRow event={event} />}
    />
  );
}

/** Typing waits for Enter or for leaving the field: a half name is no task. */
function Field({ name, label, value }: { readonly name: string; readonly label: string; readonly value: string }) {
  return (
    <input
      key={value}
      class="narrow"
      placeholder={label}
      aria-label={label}
      defaultValue={value}
      onChange={({ currentTarget }) => setParams({ [name]: currentTarget.value.trim() })}
    />
  );
}

function EventRow({ event }: { readonly event: EventView }) {
  const { eventId, type, timestamp, taskId } = event;
  const isOpen = isOpened(`event-${eventId}`);
  return (
    <div class="event-row">
      <button type="button" class="event-line" aria-expanded={isOpen} onClick={() => toggle(`event-${eventId}`)}>
        <span class="right muted">{eventId}</span>
        <span class="muted">
          <Clock at={timestamp} />
        </span>
        <span class="event-type mono">{type}</span>
        <span class="actor">{actorOf(event)}</span>
        <span class="sentence-text">{sentenceOf(event)}</span>
      </button>
      {taskId !== null && (
        <a class="event-task" href={`/tasks/${taskId}?at=${eventId}`} title={taskId}>
          {numberOf(taskId)}
        </a>
      )}
      {isOpen && <pre class="whole">{JSON.stringify(event, null, 2)}</pre>}
    </div>
  );
}
