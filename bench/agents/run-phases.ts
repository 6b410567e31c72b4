import type { CliStage } from '../../test/support/agent/cli-stage.ts';

/** The events at which a phase of `baton run` ends, and the name of that phase. */
const ENDS = [
  ['order.admitted', 'command and plan'],
  ['order.snapshotted', 'files before'],
  ['run.launched', 'lease and sandbox'],
  ['run.exited', 'the vendor'],
  ['run.verified', 'files after'],
  ['order.reported', 'report'],
] as const;

export const PHASES = [...ENDS.map(([, phase]) => phase), 'command ends'];

interface TimedPhase {
  readonly type: string;
  readonly timestamp: string;
}

/** Milliseconds of each phase of the newest run, from the start of its command to its exit. */
export async function phasesOf(stage: CliStage, startedMs: number, endedMs: number): Promise<readonly number[]> {
  const { stdout } = await stage.baton('events', '--task', '@', '--json');
  const events = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as TimedPhase);
  const ends = ENDS.map(([type]) => Date.parse(events.findLast((event) => event.type === type)?.timestamp ?? ''));
  const instants = [startedMs, ...ends, endedMs];
  return instants.slice(1).map((at, index) => at - (instants[index] ?? at));
}
