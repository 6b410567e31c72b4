import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AOF_FRONT_MATTER_BYTES_MAX } from '../domain/limits.ts';
import { ConfigFault } from './config-fault.ts';

/** The text of a configuration file, or null where there is none. A link, a pipe or a device is no such file. */
export function readConfigFile(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  const complaint = !stat.isFile()
    ? 'is no plain file'
    : stat.size > AOF_FRONT_MATTER_BYTES_MAX
      ? 'is too large'
      : null;
  if (complaint) throw new ConfigFault(path, [{ path: '', message: complaint }]);
  return readFileSync(path, 'utf8');
}

/** Whole or not at all. */
export function writeConfigFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
