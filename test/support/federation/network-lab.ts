import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const HUB = 'hub';
/** A hardware address that nobody has: packets sent to it reach nobody. */
const NOBODY = '02:00:00:00:00:99';

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}

/** A reason to skip a test, or false. */
export function noNamespaces(): string | false {
  if (process.getuid?.() !== 0) return 'needs root, to make network namespaces';
  const isThere = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip'].some((file) => existsSync(file));
  return isThere ? false : 'needs the program ip: apt-get install iproute2';
}

/** A network namespace for each machine and one for the server between them, each machine with a cable of its own to the server. */
export class NetworkLab {
  readonly #machines: readonly string[];
  readonly #prefix = `bt${process.pid}`;

  constructor(machines: readonly string[]) {
    this.#machines = machines;
    process.once('exit', () => this.close());
    this.#makeSpace(HUB);
    for (const machine of machines) this.#connect(machine);
  }

  #space(machine: string): string {
    return `${this.#prefix}-${machine}`;
  }

  #cable(machine: string): string {
    return `bt-${machine}`;
  }

  #makeSpace(machine: string): void {
    ip('netns', 'add', this.#space(machine));
    ip('-n', this.#space(machine), 'link', 'set', 'lo', 'up');
  }

  #connect(machine: string): void {
    const subnet = `10.77.${this.#machines.indexOf(machine) + 1}`;
    const cable = this.#cable(machine);
    this.#makeSpace(machine);
    ip('link', 'add', cable, 'netns', this.#space(HUB), 'type', 'veth', 'peer', 'eth0', 'netns', this.#space(machine));
    ip('-n', this.#space(HUB), 'addr', 'add', `${subnet}.1/24`, 'dev', cable);
    ip('-n', this.#space(machine), 'addr', 'add', `${subnet}.2/24`, 'dev', 'eth0');
    ip('-n', this.#space(HUB), 'link', 'set', cable, 'up');
    ip('-n', this.#space(machine), 'link', 'set', 'eth0', 'up');
  }

  /** The address of the server, as the machine sees it. */
  serverOf(machine: string): string {
    return `10.77.${this.#machines.indexOf(machine) + 1}.1`;
  }

  /** The words before a command that runs on the machine. */
  on(machine: string): readonly string[] {
    return ['ip', 'netns', 'exec', this.#space(machine)];
  }

  get onServer(): readonly string[] {
    return this.on(HUB);
  }

  cut(machine: string): void {
    ip('-n', this.#space(HUB), 'link', 'set', this.#cable(machine), 'down');
  }

  /** Packets of the machine are lost; those of the server arrive. */
  mute(machine: string): void {
    const server = this.serverOf(machine);
    ip('-n', this.#space(machine), 'neigh', 'replace', server, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', 'eth0');
  }

  /** Packets of the server are lost; those of the machine arrive. */
  deafen(machine: string): void {
    const address = this.serverOf(machine).replace(/1$/, '2');
    const link = ['lladdr', NOBODY, 'nud', 'permanent', 'dev', this.#cable(machine)];
    ip('-n', this.#space(HUB), 'neigh', 'replace', address, ...link);
  }

  heal(machine: string): void {
    const cable = this.#cable(machine);
    ip('-n', this.#space(HUB), 'link', 'set', cable, 'up');
    for (const [space, device] of [
      [this.#space(HUB), cable],
      [this.#space(machine), 'eth0'],
    ] as const) {
      ip('-n', space, 'neigh', 'flush', 'dev', device, 'nud', 'permanent');
    }
  }

  close(): void {
    for (const machine of [HUB, ...this.#machines]) spawnSync('ip', ['netns', 'del', this.#space(machine)]);
  }
}
