import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AOF_FRONT_MATTER_BYTES_MAX } from '../domain/limits.ts';
import type { Problem } from '../protocols/codec.ts';
import { explainIssue } from '../protocols/explain-issue.ts';
import { pointer } from '../protocols/issue.ts';
import { judgeValue } from '../protocols/judge-value.ts';
import { readYaml } from '../protocols/yaml-text.ts';
import { CONFIG, type Config } from './schema.ts';

/** A configuration that cannot be used: told to a person, nothing was changed. */
export class ConfigFault extends Error {
  readonly problems: readonly Problem[];
  readonly hint: string;

  constructor(place: string, problems: readonly Problem[], hint = `mend ${place}`) {
    super(`${place}: ${problems[0]?.message ?? 'cannot be used'}`);
    this.name = 'ConfigFault';
    this.problems = problems;
    this.hint = hint;
  }
}

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

/** A text judged as configuration; `place` is where it stands, for what is said about it. */
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

/** Takes over a text from a folder of its own, if it is valid; if not, it stays where it is and the file as it was. */
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
