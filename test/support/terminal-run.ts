import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { BATON } from './run-baton.ts';

const CTRL_C = '\x03';
const SCRIPT = '/usr/bin/script';

export const noTerminal: string | false = existsSync(SCRIPT) ? false : 'script, of Debian’s bsdutils, is not there';

/** A command at a terminal of its own, as a person has it: Ctrl-C reaches all that is in its foreground. */
export class TerminalRun {
  readonly ended: Promise<number | null>;
  screen = '';
  readonly #child;

  /** `through`: a program with its words, which becomes the command. */
  constructor(args: readonly string[], { through = [], cwd }: { through?: readonly string[]; cwd?: string } = {}) {
    const words = [...through, BATON, ...args].map((word) => `'${word}'`).join(' ');
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    this.#child = spawn(SCRIPT, ['-qfec', words, '/dev/null'], { stdio: [...stdio], ...(cwd && { cwd }) });
    after(() => this.#child.kill('SIGKILL'));
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.screen += text));
    this.ended = once(this.#child, 'close').then(([status]) => status as number | null);
  }

  async shows(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.screen)) await once(this.#child.stdout, 'data');
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  pressCtrlC(): void {
    this.#child.stdin.write(CTRL_C);
  }
}
