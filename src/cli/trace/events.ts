import type { EventPage, EventView } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { EventsRequest } from '../../api/requests.ts';
import { EVENTS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { wallMs } from '../../platform/terminal.ts';
import { refused } from '../answer-of-call.ts';
import { type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { followAnswer } from '../follow-answer.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { readInstant } from '../read-input.ts';
import { eventTextLine } from './event-text.ts';

const FILTERS = ['task', 'run', 'session', 'type'] as const;

const pages = nodeCommand({
  usage: 'baton events [--follow] [--since POINT] [--task TASK] [--run RUN] [--session SESSION] [--type TYPE] [--json]',
  about: [
    'Prints every event in order, one a line. Events are never deleted. --since takes the number of an event (prints those',
    'after it), an instant, or today. --follow first prints the events so far (all, or those after --since), then new ones',
    'as they happen, until Ctrl-C; if no node is running, this command is the node meanwhile.',
  ].join(' '),
  examples: [
    'baton events --since today',
    'baton events --task 57',
    'baton events --type run.*,order.settled --json',
    'baton events --since 1200 --json',
    'baton events --follow --json',
  ],
  ignores: ['key'],
  flags: {
    since: {
      takes: 'value',
      shows: 'POINT',
      help: 'events after this number, or since this instant: 2026-02-09T21:00:00Z, today',
    },
    task: { takes: 'value', shows: 'TASK', help: 'only events of this task' },
    run: { takes: 'value', shows: 'RUN', help: 'only events of this run' },
    session: { takes: 'value', shows: 'SESSION', help: 'only events of this session' },
    type: {
      takes: 'value',
      shows: 'TYPE',
      help: 'only events of these types, separated by commas: task.created, run.*',
    },
    follow: { takes: 'nothing', short: 'f', help: 'after the events so far, keep printing new ones' },
  },
  plan(call) {
    const request = requestOf(call);
    return async (client) => {
      const first = await client.listEvents(request);
      return isRefusal(first) ? refused(first) : eventsAnswer(client, request, first.events);
    };
  },
});

export const eventsCommand: CliCommand = {
  ...pages,
  run: async (call) => (call.flags.follow ? await followAnswer(call, requestOf(call)) : await pages.run(call)),
};

function requestOf(call: Call): EventsRequest {
  if (call.words.length > 0) throw new UsageError('events: takes no arguments', 'baton events --task TASK');
  const given = FILTERS.flatMap((name) => {
    const value = flagText(call, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...sinceOf(flagText(call, 'since')), ...Object.fromEntries(given) };
}

function sinceOf(point: string | undefined): Pick<EventsRequest, 'after' | 'since'> {
  if (point === undefined) return { after: 0 };
  if (/^\d{1,15}$/.test(point)) return { after: Number(point) };
  const since = readInstant(point, wallMs());
  if (since !== null) return { after: 0, since };
  throw new UsageError(
    `--since: ${JSON.stringify(point)} is neither an event number nor an instant`,
    '--since 2026-02-09T21:00:00Z, or today',
  );
}

function eventsAnswer(client: NodeClient, request: EventsRequest, first: readonly EventView[]): NodeAnswer<EventView> {
  async function* values(): AsyncGenerator<EventView> {
    let page: EventPage | Refusal = { events: first };
    while (!isRefusal(page)) {
      yield* page.events;
      const last: EventView | undefined = page.events.at(-1);
      if (page.events.length < EVENTS_PER_PAGE_MAX || !last) return;
      page = await client.listEvents({ ...request, after: last.eventId });
    }
  }
  return {
    values: values(),
    human: eventTextLine,
    summary: () => (first.length === 0 ? 'no events' : null),
    exitCode: () => 0,
  };
}
