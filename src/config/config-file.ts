import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { AOF_FRONT_MATTER_BYTES_MAX } from '../domain/federation/message-limits.ts';
import { replaceFile } from '../platform/files/durable-files.ts';
import { makeFolders } from '../platform/files/make-folders.ts';
import { explainIssue } from '../protocols/explain-issue.ts';
import { pointer } from '../protocols/issue.ts';
import { judgeValue } from '../protocols/judge-value.ts';
import { readYaml } from '../protocols/yaml-text.ts';
import { ConfigFault } from './config-fault.ts';
import { CONFIG, type Config } from './schema.ts';

/** The text of a configuration file, or null if there is none. A link, a pipe or a device is refused. */
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

/** Replaces the file in one rename: a crash leaves the old text or the new one. */
export function writeConfigFile(path: string, text: string): void {
  makeFolders(dirname(path));
  replaceFile(path, text);
}

/** Validates a configuration text; `place` names its file in error messages. */
export function readConfig(text: string, place: string): Config {
  const reading = readYaml(text, 'configuration');
  if (reading.kind === 'value') return judgeConfig(reading.value ?? {}, place);
  const problems = reading.issues.map((issue) => ({ path: pointer(issue.path), message: explainIssue(issue) }));
  throw new ConfigFault(place, problems);
}

export function judgeConfig(value: unknown, place: string): Config {
  const verdict = judgeValue(value, CONFIG);
  if (verdict.verdict === 'accepted') return verdict.message;
  throw new ConfigFault(place, verdict.verdict === 'malformed' ? verdict.errors : []);
}

/** Replaces the file by an edited draft if that is valid; otherwise both stay and the fault names the draft. */
export function replaceConfig(path: string, draft: string): boolean {
  const text = readFileSync(draft, 'utf8');
  try {
    readConfig(text, path);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new ConfigFault(path, error.problems, `your text is kept in ${draft}`);
  }
  const isChanged = text !== (readConfigFile(path) ?? '');
  if (isChanged) writeConfigFile(path, text);
  rmSync(dirname(draft), { recursive: true });
  return isChanged;
}
