import type { AgentSignal } from '../agent/agent-signal.ts';
import type { Spend } from '../order/budget.ts';

/** A live run at a glance, besides its activity. */
export interface RunGlance {
  /** The last line that it printed or said; null before the first. */
  readonly lastLine: string | null;
  /** As its agent estimates it; null where it does not say. */
  readonly progress: {
    readonly percentage: number | null;
    readonly phase: string | null;
    readonly text: string;
  } | null;
  /** The spend of this run alone; null until its agent reports a figure. */
  readonly spend: Spend | null;
  /** The files that it changed so far; null before the first turn that changed some. */
  readonly size: WorkSize | null;
}

/** The size of a difference. */
export interface WorkSize {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export const NOTHING_SEEN: RunGlance = { lastLine: null, progress: null, spend: null, size: null };

const LINE_CHARACTERS_MAX = 300;

/** The glance after one more signal. */
export function addGlance(before: RunGlance, signal: AgentSignal): RunGlance {
  switch (signal.kind) {
    case 'output':
    case 'words': {
      const line = lastLineOf(signal.text);
      return line === '' ? before : { ...before, lastLine: line };
    }
    case 'progress': {
      const { percentage, phase, text } = signal;
      return { ...before, progress: { percentage, phase, text } };
    }
    case 'usage': {
      const costUsd = signal.costUsd ?? before.spend?.costUsd ?? 0;
      const isCounted = signal.tokensInput !== null || signal.tokensOutput !== null;
      const tokens = isCounted ? (signal.tokensInput ?? 0) + (signal.tokensOutput ?? 0) : (before.spend?.tokens ?? 0);
      return { ...before, spend: { costUsd, tokens } };
    }
    default:
      return before;
  }
}

function lastLineOf(text: string): string {
  const end = text.trimEnd();
  return end
    .slice(end.lastIndexOf('\n') + 1)
    .trim()
    .slice(0, LINE_CHARACTERS_MAX);
}
