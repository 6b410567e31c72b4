import { SANDBOX_PROCESSES_MAX } from '../../../domain/process-limits.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { systemTimer, type Timer } from '../../../platform/timer.ts';
import { type SpawnedProcess, spawnProcess } from '../../process/spawn-process.ts';
import { notStarted, SupervisedProcess } from '../../process/supervise.ts';
import { type Bridge, findBridge } from '../network/bridge.ts';
import { type Outside, systemNetwork } from '../network/forward-proxy.ts';
import type { LiveProcess, ProcessSpec, Sandbox } from '../sandbox.ts';
import { BubblewrapHold } from './bubblewrap-hold.ts';
import { awaitBuilt, closeGate, instruct, release } from './gate.ts';
import { memoryOfAll } from './memory-bounds.ts';
import { type Preparation, prepare } from './prepare.ts';
import { boundResources, type ResourceGroup } from './resource-group.ts';

export interface BubblewrapSandboxParts {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Connects a restricted network to the hosts it names. */
  readonly outside: Outside;
  readonly bridge: Bridge;
}

/** Runs processes under bubblewrap: in namespaces of their own, with only the granted part of the file system. */
export class BubblewrapSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly #program: string;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #outside: Outside;
  readonly #bridge: Bridge;

  constructor(program: string, parts: Partial<BubblewrapSandboxParts> = {}) {
    this.#program = program;
    this.#clock = parts.clock ?? systemClock();
    this.#timer = parts.timer ?? systemTimer();
    this.#outside = parts.outside ?? systemNetwork();
    this.#bridge = parts.bridge ?? findBridge();
  }

  async start(spec: ProcessSpec): Promise<LiveProcess> {
    const { onRefusedHost: onRefused, onTriedHost: onTried } = spec;
    const preparation = await prepare(spec, { outside: this.#outside, bridge: this.#bridge, onRefused, onTried });
    if (preparation.kind === 'refused') return notStarted(preparation.reason, preparation.isMissing);
    // Bubblewrap itself runs outside: it gets BATON_RUN alone, by which a sweep finds it if Baton is killed now.
    const { BATON_RUN } = spec.env;
    const spawned = await spawnProcess(this.#program, preparation.line, {
      cwd: '/',
      env: BATON_RUN === undefined ? {} : { BATON_RUN },
      stdio: preparation.data.stdio,
      // Away from the terminal: Baton decides what a Ctrl-C ends, not the terminal.
      detached: true,
    });
    if (spawned.kind === 'failed') {
      await preparation.cleanUp();
      return notStarted(spawned.reason);
    }
    return this.#enter(spawned, spec, preparation);
  }

  async #enter(spawned: SpawnedProcess, spec: ProcessSpec, preparation: Preparation): Promise<LiveProcess> {
    const { child } = spawned;
    const cleanUp = async () => {
      closeGate(child);
      await preparation.cleanUp();
    };
    instruct(child, preparation.data);
    // The system takes milliseconds to move a process to a group: meanwhile the sandbox is built.
    let group: Promise<ResourceGroup | null> = Promise.resolve(null);
    const bounds = { processesMax: SANDBOX_PROCESSES_MAX, memoryBytesMax: memoryOfAll(spec.grant) };
    const built = await awaitBuilt(spawned, this.#timer, ({ pid }) => {
      group = boundResources(pid, bounds);
    });
    if (built.kind === 'failed') {
      await spawned.exited;
      (await group)?.remove();
      await cleanUp();
      return notStarted(built.reason);
    }
    const { first, agent } = built;
    const taken = BubblewrapHold.take({ spawned, first, agent, timer: this.#timer, group, cleanUp });
    const reason = await preparation.verify(agent.pid, this.#timer);
    const hold = await taken;
    if (reason !== null) {
      hold.kill();
      await hold.exited;
      await hold.clear();
      return notStarted(reason);
    }
    const live = new SupervisedProcess(hold, spec, this.#clock);
    release(child);
    return live;
  }
}
