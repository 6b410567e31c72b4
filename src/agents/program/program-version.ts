import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KIB } from '../../domain/limits.ts';
import { makeFolders } from '../../platform/files/make-folders.ts';
import { runBriefly } from '../../platform/process/run-briefly.ts';
import { manifestFolder } from './installed-folder.ts';
import { readFileHead } from './look-at-file.ts';

/** The version that a program reports, or the reason why it reports none. */
export type VersionAnswer = { readonly version: string } | { readonly problem: string };

const VERSION = /\b\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/;
/** Installers that keep each version in a folder or a file of its name. */
const IN_PATH = /\/(?:versions|Cellar\/[^/]+)\/(\d{1,9}\.\d{1,9}\.\d{1,9}[^/]{0,64})(?:\/|$)/;
const ANSWER_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 4 * KIB;
const SHOWN_CHARACTERS_MAX = 60;

/** The version that the files of an installed program name: nothing is started. */
export function versionInFiles(realFile: string, packageName: string): string | null {
  const folder = manifestFolder(realFile);
  const manifest = folder === null ? null : manifestIn(folder);
  if (manifest?.name === packageName && typeof manifest.version === 'string') return manifest.version;
  return IN_PATH.exec(realFile)?.[1] ?? null;
}

function manifestIn(folder: string): { readonly name?: unknown; readonly version?: unknown } | null {
  try {
    return JSON.parse(readFileHead(join(folder, 'package.json')) ?? 'null');
  } catch {
    // No JSON: no package.
    return null;
  }
}

/**
 * The answers of programs to `--version`. Each program is asked once for as long as its file is the same; the file that
 * keeps the answers for the next process may be absent or unwritable.
 */
export class ProgramVersions {
  readonly #file: string;
  readonly #answers = new Map<string, VersionAnswer>();
  #kept: Readonly<Record<string, string>> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Programs that this process asked: a change means that agents may be ready or not any more. */
  get asked(): number {
    return this.#answers.size;
  }

  /** Null for a program that was not asked. */
  of(file: string): VersionAnswer | null {
    const stamp = stampOf(file);
    const kept = this.#keptAnswers()[stamp];
    return this.#answers.get(stamp) ?? (kept === undefined ? null : { version: kept });
  }

  /** Asks all programs that were not asked yet, at once. */
  async ask(files: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
    const waiting = files.filter((file) => this.of(file) === null);
    const answers = await Promise.all(waiting.map(async (file) => [file, await askVersion(file, env)] as const));
    for (const [file, answer] of answers) this.#answers.set(stampOf(file), answer);
    if (answers.some(([, answer]) => 'version' in answer)) this.#keep();
  }

  #keptAnswers(): Readonly<Record<string, string>> {
    this.#kept ??= readAnswers(this.#file);
    return this.#kept;
  }

  /** A program that gave no version is asked again by the next process: it may be repaired meanwhile. */
  #keep(): void {
    const found = [...this.#answers].flatMap(([stamp, answer]) =>
      'version' in answer ? [[stamp, answer.version] as const] : [],
    );
    this.#kept = Object.fromEntries([...Object.entries(this.#keptAnswers()), ...found].slice(-KEPT_MAX));
    try {
      makeFolders(dirname(this.#file), 0o700);
      const draft = `${this.#file}.${process.pid}`;
      writeFileSync(draft, JSON.stringify(this.#kept), { mode: 0o600 });
      renameSync(draft, this.#file);
    } catch {
      // The next process asks again.
    }
  }
}

const KEPT_MAX = 50;

function readAnswers(file: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(entries.filter(([, version]) => typeof version === 'string'));
  } catch {
    // Absent or damaged: every program is asked again.
    return {};
  }
}

/** By the name that it is called by: a shim decides by that name which program it is. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return `${file} ${stats?.size ?? 0} ${stats?.mtimeMs ?? 0}`;
}

async function askVersion(file: string, env: Readonly<Record<string, string>>): Promise<VersionAnswer> {
  const call = { file, args: ['--version'], env, timeoutMs: ANSWER_MS_MAX, outputBytesMax: ANSWER_BYTES_MAX };
  const { exitCode, output, isTimedOut, startError } = await runBriefly(call);
  const version = VERSION.exec(output)?.[0];
  if (exitCode === 0 && version !== undefined) return { version };
  const asked = `${file} --version`;
  if (startError !== null) return { problem: `${file} cannot be started (${startError})` };
  if (isTimedOut) return { problem: `${asked} did not answer within ${ANSWER_MS_MAX / 1_000} s` };
  const said = output.trim().split('\n')[0]?.slice(0, SHOWN_CHARACTERS_MAX) ?? '';
  const printed = `printed ${said === '' ? 'nothing' : JSON.stringify(said)}`;
  const how = exitCode === 0 ? `${printed} instead of a version` : `failed (exit ${exitCode}) and ${printed}`;
  return { problem: `${asked} ${how}` };
}
