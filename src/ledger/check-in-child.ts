import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lackOfDescriptors } from '../platform/machine-limits.ts';

// A program of its own would have to be found in the bundle and in the source alike; this one is short enough to hand in.
const PROGRAM = `
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
process.getBuiltinModule('node:os').setPriority(19);
try {
  const db = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 5000 });
  process.stdout.write(String(db.prepare('PRAGMA quick_check(1)').get().quick_check));
} catch (error) {
  if (![11, 26].includes(error.errcode & 0xff)) throw error;
  process.stdout.write('SQLite cannot read it');
}
`;
const SOUND = 'ok';

export interface LedgerCheck {
  /** What is wrong with the ledger, or null. A check that could not be made is thrown. */
  readonly finding: Promise<string | null>;
  /** Ends it before it is through. */
  end(): Promise<void>;
}

/**
 * Looks at every page of a ledger that is in use, in a process of low priority and on a connection that cannot write:
 * the node answers meanwhile.
 */
export function checkInChild(ledgerFile: string): LedgerCheck {
  const lack = lackOfDescriptors(3);
  if (lack !== null) return { finding: Promise.reject(lack), end: async () => {} };
  const child = spawn(process.execPath, ['--no-warnings', '-e', PROGRAM, ledgerFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
  const texts = { stdout: '', stderr: '' };
  // Where no descriptor is left there are no pipes, whatever the types say, and the error follows.
  const pipes: Partial<typeof child> = child;
  for (const name of ['stdout', 'stderr'] as const)
    pipes[name]?.setEncoding('utf8').on('data', (text) => (texts[name] += text));
  const finding = once(child, 'close').then(([status]) => {
    if (status === 0) return texts.stdout === SOUND ? null : texts.stdout;
    throw new Error(`the check of ${ledgerFile} ended with ${status}: ${texts.stderr.slice(-300)}`);
  });
  const end = async () => {
    child.kill('SIGKILL');
    await finding.catch(() => null);
  };
  return { finding, end };
}
