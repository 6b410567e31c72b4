import { type Clock, systemClock } from '../../../platform/clock.ts';
import { systemTimer, type Timer } from '../../../platform/timer.ts';
import { type Launched, launch } from '../../process/launch.ts';
import { identify } from '../../process/process-table.ts';
import { notStarted, Supervised } from '../../process/supervise.ts';
import type { LiveProcess, ProcessSpec, Sandbox } from '../sandbox.ts';
import { BubblewrapHold } from './bubblewrap-hold.ts';
import { awaitBuilt, closeGate, GATE_STDIO, instruct, release } from './gate.ts';
import { seesPlace } from './pinned-path.ts';
import { type Preparation, prepare } from './prepare.ts';

/** Bubblewrap: namespaces of its own, and of the file system what the grant names. */
export class BubblewrapSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly #program: string;
  readonly #clock: Clock;
  readonly #timer: Timer;

  constructor(program: string, clock: Clock = systemClock(), timer: Timer = systemTimer()) {
    this.#program = program;
    this.#clock = clock;
    this.#timer = timer;
  }

  async start(spec: ProcessSpec): Promise<LiveProcess> {
    const preparation = await prepare(spec);
    if (preparation.kind === 'refused') return notStarted(preparation.reason);
    // Bubblewrap itself gets no variable of the process: it runs outside.
    const launched = await launch(this.#program, preparation.first, { cwd: '/', env: {}, stdio: [...GATE_STDIO] });
    if (launched.kind === 'failed') {
      await preparation.cleanUp();
      return notStarted(launched.reason);
    }
    return this.#enter(launched, spec, preparation);
  }

  async #enter(launched: Launched, spec: ProcessSpec, preparation: Preparation): Promise<LiveProcess> {
    const { child } = launched;
    instruct(child, preparation.words, preparation.filter);
    const built = await awaitBuilt(launched);
    const first = built.kind === 'built' ? identify(built.pid) : null;
    const reason = built.kind === 'failed' ? built.reason : wrongPlace(built.pid, preparation);
    if (reason !== null || first === null) {
      child.kill('SIGKILL');
      await launched.exited;
      closeGate(child);
      await preparation.cleanUp();
      return notStarted(reason ?? 'bubblewrap ended before the process began');
    }
    const agent = await release(child, first.pid, this.#timer);
    const cleanUp = async () => {
      closeGate(child);
      await preparation.cleanUp();
    };
    return new Supervised(
      new BubblewrapHold({ launched, first, agent, timer: this.#timer, cleanUp }),
      spec,
      this.#clock,
    );
  }
}

/** Names may have been led elsewhere since they were judged: what counts is what is really there now, before the start. */
function wrongPlace(pid: number, { places }: Preparation): string | null {
  const wrong = places.find(({ at, place }) => !seesPlace(pid, at, place));
  return wrong ? `${wrong.at} changed while the sandbox was built` : null;
}
