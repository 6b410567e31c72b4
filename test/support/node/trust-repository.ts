import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../data-folder.ts';
import { type BatonRun, linesOf, runBaton } from '../run-baton.ts';

export const scratch = scratchFolder('trust');

/** A git repository, and what a person on this machine types in it. */
export class Repository {
  readonly path: string;
  readonly environment: Record<string, string>;

  constructor(name: string, person = 'me') {
    this.path = join(scratch, name);
    mkdirSync(this.path, { recursive: true });
    execFileSync('git', ['init', '-q'], { cwd: this.path });
    const home = join(scratch, `home of ${person}`);
    mkdirSync(home, { recursive: true });
    this.environment = { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', BATON_DATA: '' };
  }

  run(...args: string[]): Promise<BatonRun> {
    return runBaton(args, { folder: this.path, environment: this.environment });
  }

  with(environment: Record<string, string>): Repository {
    return Object.assign(Object.create(this) as Repository, { environment: { ...this.environment, ...environment } });
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }
}

export function codeOf(run: BatonRun): unknown {
  return linesOf<{ code: unknown }>(run)[0]?.code;
}
