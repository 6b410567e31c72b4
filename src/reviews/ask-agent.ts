import type { AgentWorld, EndedFact } from '../dispatch/attempt/attempt.ts';
import type { LiveRuns } from '../dispatch/attempt/live-runs.ts';
import { type AgentListener, type RunningAgent, runAgent } from '../dispatch/attempt/run-agent.ts';
import { Story } from '../dispatch/attempt/story.ts';
import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import { FEEDBACK_SAID_CHARACTERS_MAX, RUN_LOG_FLUSH_MS } from '../domain/limits.ts';
import { POLICY_DEFAULTS } from '../domain/order/policy.ts';
import { maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { shorten } from '../domain/words/shorten.ts';
import { faultFacts } from '../platform/logger.ts';
import { Loop } from '../platform/loop.ts';
import type { ReviewerLaunch } from './reviewer-launch.ts';

export interface AskWorld extends AgentWorld {
  readonly dataFolder: string;
  readonly live: Pick<LiveRuns, 'activities'>;
}

/** One try at an answer: a process of the provider, with everything that it said. */
export interface AgentAnswer {
  readonly end: EndedFact;
  /** In order; a text is words of a model, or JSON that a program printed. */
  readonly texts: readonly string[];
  /** More was said than is kept. */
  readonly isCut: boolean;
  readonly vendorSession: string | null;
  /** The end of the last line that it printed or said; null if it was silent. */
  readonly lastLine: string | null;
}

/** Hears of a try while it runs. */
export interface TryListener {
  onLaunched(process: RunningAgent['process']): Promise<void>;
  onSession(session: string): Promise<void>;
  onSignal(signal: AgentSignal): void;
}

/** Runs the provider's program once, without a task: it may read its workspace, and reach its model alone. */
export async function askAgent(world: AskWorld, launch: ReviewerLaunch, listener: TryListener): Promise<AgentAnswer> {
  const { runId, agent, sessionId } = launch.run;
  const story = new Story({ ...world, ...world.live }, { owner: sessionId, runId, agent });
  const heard = new HeardTexts(listener);
  const running = await runAgent(world, { ...launch, limits: limitsOf(launch) }, (talk) => ({
    ...SILENT,
    onLine: (text) => story.log.raw(text),
    onSignal(signal) {
      story.add(signal);
      allow(signal, talk);
      return heard.take(signal);
    },
    onEnd: () => heard.settled(),
  }));
  const onFault = (error: unknown) =>
    world.log.log('feedback.log_failed', { session: sessionId, ...faultFacts(error) });
  const flush = new Loop({
    timer: world.timer,
    everyMs: RUN_LOG_FLUSH_MS,
    tick: async () => story.log.flush(),
    onFault,
  });
  flush.start();
  try {
    await listener.onLaunched(running.process);
    const end = await running.ended;
    return { end, ...heard.all() };
  } finally {
    await flush.stop();
    story.end();
  }
}

const SILENT: Omit<AgentListener, 'onLine' | 'onSignal' | 'onEnd'> = {
  progress: { take: () => {}, end: () => {} },
  onNotice: () => {},
};

/** The sandbox confines the reviewer to its grant, so it may do whatever it asks for. */
function allow(signal: AgentSignal, { tell }: Pick<RunningAgent, 'tell'>): void {
  if (signal.kind !== 'question' || !signal.permission) return;
  tell({ kind: 'answer', question: signal.id, option: signal.permission.allow });
}

function limitsOf({ timeoutSeconds, costUsdMax, day, onQuota }: ReviewerLaunch) {
  return {
    policy: { ...POLICY_DEFAULTS, timeoutSeconds },
    budget: { costUsdMax, tokensMax: null },
    spentBefore: { costUsd: 0, tokens: 0 },
    day,
    quota: { onQuota, hitsBefore: 0 },
  };
}

const LINE_CHARACTERS_MAX = 300;

function lastLineOf(text: string): string | null {
  const lines = text.slice(-10 * LINE_CHARACTERS_MAX).split('\n');
  const last = lines.findLast((line) => line.trim() !== '');
  return last === undefined ? null : maskSecrets(shorten(last.trim(), LINE_CHARACTERS_MAX));
}

/** Keeps what the provider says, and records its vendor's session before anything else happens. */
class HeardTexts {
  readonly #listener: TryListener;
  readonly #texts: string[] = [];
  #characters = 0;
  #isCut = false;
  #session: string | null = null;
  #lastLine: string | null = null;
  #recorded: Promise<void> = Promise.resolve();

  constructor(listener: TryListener) {
    this.#listener = listener;
  }

  take(signal: AgentSignal): void | Promise<void> {
    this.#listener.onSignal(signal);
    if (signal.kind === 'words') this.#keep(signal.text);
    if (signal.kind === 'words' || signal.kind === 'output') this.#lastLine = lastLineOf(signal.text) ?? this.#lastLine;
    if (signal.kind !== 'vendor-session' || signal.id === this.#session) return;
    this.#session = signal.id;
    this.#recorded = this.#recorded.then(() => this.#listener.onSession(signal.id));
    return this.#recorded;
  }

  settled(): Promise<void> {
    return this.#recorded;
  }

  all(): Omit<AgentAnswer, 'end'> {
    const { vendorSession, lastLine } = { vendorSession: this.#session, lastLine: this.#lastLine };
    return { texts: this.#texts, isCut: this.#isCut, vendorSession, lastLine };
  }

  #keep(text: string): void {
    this.#characters += text.length;
    if (this.#characters > FEEDBACK_SAID_CHARACTERS_MAX) this.#isCut = true;
    else this.#texts.push(text);
  }
}
