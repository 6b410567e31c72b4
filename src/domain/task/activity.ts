import type { AgentSignal } from '../agent/agent-signal.ts';
import { ACTIVITY_SILENT_MS } from '../limits.ts';

export const ACTIVITY_KINDS = [
  ...(['starting', 'working', 'thinking', 'tool', 'retrying', 'quota', 'waiting', 'silent', 'ending'] as const),
] as const;

/** The occupation of a live run. */
export interface Activity {
  readonly kind: (typeof ACTIVITY_KINDS)[number];
  /** In words: thinking, tool Bash, waiting for you. */
  readonly text: string;
  readonly ageMs: number;
}

/** The last signs of a live run. Instants are milliseconds of the monotonic clock. */
export interface RunSigns {
  readonly startedAt: number;
  /** The instant of the last sign of life; null before the first. */
  readonly heardAt: number | null;
  /** It reports thoughts, words or tools: an agent that only prints is working. */
  readonly hasSteps: boolean;
  /** The beginning of the present step, whatever it is. */
  readonly stepAt: number;
  /** Tool calls that have begun and not ended, oldest first. */
  readonly tools: readonly { readonly id: string; readonly name: string; readonly at: number }[];
  readonly retryingAt: number | null;
  readonly quotaAt: number | null;
  /** It waits for a person's answer. */
  readonly askedAt: number | null;
  /** Its work is over, or cannot continue. */
  readonly endedAt: number | null;
}

export function noSigns(now: number): RunSigns {
  const none = { retryingAt: null, quotaAt: null, askedAt: null, endedAt: null };
  return { startedAt: now, heardAt: null, hasSteps: false, stepAt: now, tools: [], ...none };
}

const TOOLS_MAX = 50;

/** The signs after one more signal. */
export function addSign(before: RunSigns, signal: AgentSignal, now: number): RunSigns {
  const signs = { ...before, heardAt: now, stepAt: before.heardAt === null ? now : before.stepAt };
  const answered = () => ({ ...signs, hasSteps: true, retryingAt: null, quotaAt: null });
  switch (signal.kind) {
    case 'answering':
    case 'thought':
    case 'words':
      return answered();
    case 'vendor-session':
      return { ...signs, hasSteps: true };
    case 'tool': {
      const others = signs.tools.filter(({ id }) => id !== signal.id);
      if (signal.state === 'ended') return { ...answered(), tools: others, stepAt: now };
      return { ...answered(), tools: [...others, { id: signal.id, name: signal.name, at: now }].slice(-TOOLS_MAX) };
    }
    case 'retrying':
      return { ...signs, retryingAt: signs.retryingAt ?? now };
    case 'quota':
      return { ...signs, quotaAt: now };
    case 'failure':
    case 'finished':
      return { ...signs, endedAt: signs.endedAt ?? now };
    default:
      return signs;
  }
}

export function setAsked(before: RunSigns, isWaiting: boolean, now: number): RunSigns {
  return { ...before, heardAt: now, stepAt: now, askedAt: isWaiting ? now : null };
}

/** The activity that follows from the last signs. A tool that takes long is not silence. */
export function activityOf(signs: RunSigns, now: number): Activity {
  const { startedAt, heardAt, stepAt, retryingAt, quotaAt, askedAt, endedAt, tools } = signs;
  const is = (kind: Activity['kind'], text: string, since: number): Activity => ({ kind, text, ageMs: now - since });
  const [tool] = tools;
  if (askedAt !== null) return is('waiting', 'waiting for you', askedAt);
  if (endedAt !== null) return is('ending', 'ending', endedAt);
  if (quotaAt !== null) return is('quota', 'waiting for quota', quotaAt);
  if (retryingAt !== null) return is('retrying', 'retrying the model', retryingAt);
  if (tool !== undefined) return is('tool', `tool ${tool.name}`, tool.at);
  const lastAt = heardAt ?? startedAt;
  if (now - lastAt >= ACTIVITY_SILENT_MS) return is('silent', 'silent', lastAt);
  if (heardAt === null) return is('starting', 'starting', startedAt);
  return signs.hasSteps ? is('thinking', 'thinking', stepAt) : is('working', 'working', stepAt);
}
