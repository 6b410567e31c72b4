import { type Clock, systemClock } from '../../../platform/clock.ts';
import { systemTimer, type Timer } from '../../../platform/timer.ts';
import { type Launched, launch } from '../../process/launch.ts';
import { signalProcess } from '../../process/process-table.ts';
import { notStarted, Supervised } from '../../process/supervise.ts';
import { type Outside, systemNetwork } from '../network/forward-proxy.ts';
import type { LiveProcess, ProcessSpec, Sandbox } from '../sandbox.ts';
import { BubblewrapHold } from './bubblewrap-hold.ts';
import { awaitBuilt, closeGate, GATE_STDIO, instruct, release } from './gate.ts';
import { seesPlace } from './pinned-path.ts';
import { type Preparation, prepare } from './prepare.ts';

export interface BubblewrapSandboxParts {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Where a restricted network leads to. */
  readonly outside: Outside;
}

/** Bubblewrap: namespaces of its own, and of the file system what the grant names. */
export class BubblewrapSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly #program: string;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #outside: Outside;

  constructor(program: string, parts: Partial<BubblewrapSandboxParts> = {}) {
    this.#program = program;
    this.#clock = parts.clock ?? systemClock();
    this.#timer = parts.timer ?? systemTimer();
    this.#outside = parts.outside ?? systemNetwork();
  }

  async start(spec: ProcessSpec): Promise<LiveProcess> {
    const preparation = await prepare(spec, this.#outside);
    if (preparation.kind === 'refused') return notStarted(preparation.reason);
    // Bubblewrap runs outside: of the variables it gets the run alone, by which a sweep finds it if Baton is killed now.
    const { BATON_RUN } = spec.env;
    const launched = await launch(this.#program, preparation.line, {
      cwd: '/',
      env: BATON_RUN === undefined ? {} : { BATON_RUN },
      stdio: GATE_STDIO,
      // Away from the terminal: a Ctrl-C there ends what this process says, not every sandbox at once.
      detached: true,
    });
    if (launched.kind === 'failed') {
      await preparation.cleanUp();
      return notStarted(launched.reason);
    }
    return this.#enter(launched, spec, preparation);
  }

  async #enter(launched: Launched, spec: ProcessSpec, preparation: Preparation): Promise<LiveProcess> {
    const { child } = launched;
    const cleanUp = async () => {
      closeGate(child);
      await preparation.cleanUp();
    };
    instruct(child, preparation.words, preparation.filter);
    const built = await awaitBuilt(launched, this.#timer);
    const reason = built.kind === 'failed' ? built.reason : wrongPlace(built.agent.pid, preparation);
    if (built.kind === 'failed' || reason !== null) {
      if (built.kind === 'built') signalProcess(built.first, 'SIGKILL');
      child.kill('SIGKILL');
      await launched.exited;
      await cleanUp();
      return notStarted(reason ?? '');
    }
    const { first, agent } = built;
    const hold = await BubblewrapHold.take({ launched, first, agent, timer: this.#timer, cleanUp });
    const live = new Supervised(hold, spec, this.#clock);
    release(child);
    return live;
  }
}

/** Names may have been led elsewhere since they were judged: what counts is what is really there now, before the start. */
function wrongPlace(pid: number, { places }: Preparation): string | null {
  const wrong = places.find(({ at, place }) => !seesPlace(pid, at, place));
  return wrong ? `${wrong.at} changed while the sandbox was built` : null;
}
