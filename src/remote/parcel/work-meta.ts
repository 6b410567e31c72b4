import { KIB, UNRECORDED_FOLDERS_MAX } from '../../domain/limits.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { GitIdentity } from '../../domain/work/git-identity.ts';

/** Everything about the files of a work that their commit cannot hold. */
export interface WorkMeta {
  /** The folder of the work within its repository; empty for its root. */
  readonly folder: string;
  /** Permissions that differ from the usual ones, by name, one character a byte. */
  readonly modes: Readonly<Record<string, number>>;
  /** Each with a slash at its end, one character a byte. */
  readonly emptyFolders: readonly string[];
  /** The rules of `.git/info/exclude`. */
  readonly exclude: string;
  /** The settings by which git converts line ends. */
  readonly lineEnds: Readonly<Partial<Record<LineEndSetting, string>>>;
  /** The author of commits that an agent makes; null where git knows none. */
  readonly identity: GitIdentity | null;
}

export const LINE_END_SETTINGS = ['autocrlf', 'eol', 'safecrlf'] as const;
type LineEndSetting = (typeof LINE_END_SETTINGS)[number];
export const LINE_END_VALUE = /^(true|false|input|lf|crlf|native|warn)$/i;

export const EXCLUDE_BYTES_MAX = 64 * KIB;
const MODES_MAX = 1_000_000;
const PATH_CHARACTERS_MAX = 4_000;
const IDENTITY_CHARACTERS_MAX = 200;

/** Reads what another node says about its files; null where it is not of this form. */
export function readWorkMeta(text: string): WorkMeta | null {
  const value = parsed(text);
  if (value === null) return null;
  const { folder, modes, emptyFolders, exclude, lineEnds, identity } = value;
  if (typeof folder !== 'string' || (folder !== '' && !isInnerPath(folder))) return null;
  if (typeof exclude !== 'string' || exclude.length > EXCLUDE_BYTES_MAX || exclude.includes('\0')) return null;
  if (!isModes(modes) || !isFolders(emptyFolders)) return null;
  const ends = readLineEnds(lineEnds);
  const author = readIdentity(identity);
  if (ends === null || author === undefined) return null;
  return { folder, modes, emptyFolders, exclude, lineEnds: ends, identity: author };
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value['version'] === 1 ? value : null;
  } catch {
    // Not JSON.
    return null;
  }
}

export function workMetaText(meta: WorkMeta): string {
  return JSON.stringify({ version: 1, ...meta });
}

/** A path of plain names: it leads nowhere but below the folder that it begins in. */
function isInnerPath(path: string): boolean {
  if (path.length > PATH_CHARACTERS_MAX || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}

function isModes(value: unknown): value is Record<string, number> {
  if (!isJsonObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MODES_MAX &&
    entries.every(([name, mode]) => isInnerPath(name) && Number.isInteger(mode) && (mode as number) >= 0)
  );
}

function isFolders(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= UNRECORDED_FOLDERS_MAX &&
    value.every((one) => typeof one === 'string' && one.endsWith('/') && isInnerPath(one.slice(0, -1)))
  );
}

function readLineEnds(value: unknown): WorkMeta['lineEnds'] | null {
  if (!isJsonObject(value)) return null;
  const ends: Partial<Record<LineEndSetting, string>> = {};
  for (const name of LINE_END_SETTINGS) {
    const setting = value[name];
    if (setting === undefined) continue;
    if (typeof setting !== 'string' || !LINE_END_VALUE.test(setting)) return null;
    ends[name] = setting;
  }
  return ends;
}

/** Undefined where it is no identity: git ends a name at such characters. */
function readIdentity(value: unknown): GitIdentity | null | undefined {
  if (value === null) return null;
  const { name, email } = isJsonObject(value) ? value : {};
  return isPlain(name) && isPlain(email) ? { name, email } : undefined;
}

function isPlain(text: unknown): text is string {
  return typeof text === 'string' && text.length <= IDENTITY_CHARACTERS_MAX && !/[\u0000-\u001f\u007f<>]/.test(text);
}
