import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lackOfDescriptors } from '../platform/process/machine-limits.ts';

// Passed as an argument: a file would have to be found from the bundle and from source alike.
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
  /** The first damage found, or null. Rejects if the check could not run. */
  readonly finding: Promise<string | null>;
  /** Stops the check early. */
  end(): Promise<void>;
}

/**
 * Checks every page of a ledger that is in use, in a process of low priority with a read-only connection; the node
 * keeps answering.
 */
export function checkInChild(ledgerFile: string): LedgerCheck {
  const lack = lackOfDescriptors(3);
  if (lack !== null) return { finding: Promise.reject(lack), end: async () => {} };
  const child = spawn(process.execPath, ['--no-warnings', '-e', PROGRAM, ledgerFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
  const texts = { stdout: '', stderr: '' };
  // Without a free descriptor there are no pipes, despite the types; the error event follows.
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
