import type { AgentSignal, FailureSignal } from '../../domain/agent/agent-signal.ts';
import { MODEL_RETRY_MS_MAX } from '../../domain/process-limits.ts';
import type { Clock } from '../../platform/clock.ts';

/**
 * Watches the connections of one run to the hosts of its model. Some agents try a dead host for many minutes and print
 * nothing: without a single connection for MODEL_RETRY_MS_MAX the run has failed.
 */
export class ModelReach {
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  #failsSince: number | null = null;
  #problem: string | null = null;

  constructor(clock: Clock, hosts: readonly string[]) {
    this.#clock = clock;
    this.#hosts = hosts;
  }

  /** Why the host that was tried last cannot be reached; null if it can, or none was tried. */
  get problem(): string | null {
    return this.#problem;
  }

  /** The signals of a try: `problem` is null for a host that was reached. */
  tried(host: string, problem: string | null): readonly AgentSignal[] {
    if (!this.#hosts.some((each) => isSame(each, host))) return [];
    if (problem === null) {
      this.#failsSince = null;
      this.#problem = null;
      return [];
    }
    const now = this.#clock.now().monotonicMs;
    const text = `${host} cannot be reached: ${problem}`;
    this.#problem = text;
    if (this.#failsSince === null) {
      this.#failsSince = now;
      return [{ kind: 'output', stream: 'stderr', text }];
    }
    if (now - this.#failsSince < MODEL_RETRY_MS_MAX) return [];
    return [noAnswer(text, MODEL_RETRY_MS_MAX / 1_000)];
  }
}

/** The failure of a run whose model did not answer. */
export function noAnswer(why: string, waitedSeconds?: number): FailureSignal {
  const waited = waitedSeconds === undefined ? '' : ` for ${waitedSeconds} s`;
  return {
    kind: 'failure',
    code: 'model-unavailable',
    message: `its model did not answer${waited}: ${why}`,
    ...(waitedSeconds !== undefined && { waitedSeconds }),
  };
}

/** A granted word without a port stands for the usual one. */
function isSame(word: string, host: string): boolean {
  return word.replace('localhost', '127.0.0.1') === host || `${word}:443` === host || `${word}:80` === host;
}
