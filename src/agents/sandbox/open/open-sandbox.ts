import { type Clock, systemClock } from '../../../platform/clock.ts';
import { systemTimer, type Timer } from '../../../platform/timer.ts';
import { withoutInherited } from '../../process/inherited-descriptors.ts';
import { launch } from '../../process/launch.ts';
import { resolveCommand } from '../../process/resolve-command.ts';
import { notStarted, Supervised } from '../../process/supervise.ts';
import type { LiveProcess, ProcessSpec, Sandbox } from '../sandbox.ts';
import { startGuard } from './guard.ts';
import { OpenHold } from './open-hold.ts';

interface Mark {
  readonly text: string | null;
  /** The text, while it says whose an orphan is. */
  tells(): string | null;
  release(): void;
}

/** No sandbox: the process may do what its user may. It is watched and ended all the same. */
export class OpenSandbox implements Sandbox {
  readonly name = 'none';
  readonly #clock: Clock;
  readonly #timer: Timer;
  /** How many live processes carry a mark: while two share one, it does not tell whose an orphan is. */
  readonly #marks = new Map<string, number>();

  constructor(clock: Clock = systemClock(), timer: Timer = systemTimer()) {
    this.#clock = clock;
    this.#timer = timer;
  }

  async start(spec: ProcessSpec): Promise<LiveProcess> {
    const command = resolveCommand(spec);
    if (command.kind === 'unusable') return notStarted(command.reason);
    const launched = await launch(command.file, spec.argv.slice(1), {
      argv0: spec.argv[0],
      cwd: spec.cwd,
      env: { ...spec.env },
      stdio: withoutInherited(['pipe', 'pipe', 'pipe']),
      // A session and a group of its own: what it starts stays together unless it takes pains.
      detached: true,
    });
    if (launched.kind === 'failed') return notStarted(launched.reason);
    const mark = this.#mark(spec.env.BATON_RUN);
    const guard = startGuard({ pid: launched.child.pid ?? 0, mark: mark.text });
    const hold = new OpenHold({ launched, guard, mark: () => mark.tells(), timer: this.#timer });
    const live = new Supervised(hold, spec, this.#clock);
    live.ended.catch(() => {}).finally(() => mark.release());
    return live;
  }

  /** What belongs to no run, such as a check before the first, has none. */
  #mark(run: string | undefined): Mark {
    if (!run) return { text: null, tells: () => null, release: () => {} };
    const mark = `BATON_RUN=${run}`;
    const add = (count: number) => this.#marks.set(mark, (this.#marks.get(mark) ?? 0) + count);
    add(1);
    return {
      text: mark,
      tells: () => (this.#marks.get(mark) === 1 ? mark : null),
      release: () => {
        add(-1);
        if (this.#marks.get(mark) === 0) this.#marks.delete(mark);
      },
    };
  }
}
