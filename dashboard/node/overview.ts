import { effect } from '@preact/signals';
import { setNodeTime } from '../parts/clock.ts';
import { access } from './access.ts';
import { call } from './call-node.ts';
import { connection, followFrom, logReplaced, onEvents } from './live-events.ts';
import { makeResource } from './resource.ts';

/** The first page, which the bar of every page shows a part of. */
export const overview = makeResource(async () => {
  const answer = await call('overview', {});
  setNodeTime(answer.at);
  followFrom(answer);
  return answer;
});

/** Output of an agent is no event: while one runs, the page looks again this often. */
const RUNNING_MS = 2_000;
/** Before the first answer: the node may be starting. */
const FIRST_MS = 1_500;

/** Reads the overview at first, after events, and while agents run. */
export function keepOverview(): void {
  effect(() => {
    if (access.value.kind === 'open') void overview.refresh();
  });
  onEvents(() => void overview.refresh());
  logReplaced.subscribe(() => void refreshOpen());
  connection.subscribe(({ kind }) => {
    if (kind === 'live') void refreshOpen();
  });
  setInterval(() => {
    const { value } = overview.value;
    const isSeen = document.visibilityState === 'visible';
    if (isSeen && value !== null && value.running.length > 0) void refreshOpen();
  }, RUNNING_MS);
  setInterval(() => {
    if (overview.value.value === null) void refreshOpen();
  }, FIRST_MS);
}

function refreshOpen(): Promise<void> {
  return access.value.kind === 'open' ? overview.refresh() : Promise.resolve();
}
