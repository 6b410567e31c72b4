import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { GIT_TEXT_BYTES_MAX, MIB } from '../../domain/limits.ts';
import { renewFile, replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { bytesOf, type RawPath, rawPath, textOf } from '../../platform/files/raw-path.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import { excludeText, type ShadowPlace } from '../shadow/private-repository.ts';

/** All ignore files of a workspace together. */
const RULES_CHARACTERS_MAX = 1_000_000;

/**
 * All ignore rules of a workspace as one list for the top of its files; as in git, a later rule is stronger. Null where they
 * are too long to keep.
 */
export function ignoreRules(
  place: ShadowPlace,
  ignoreFiles: readonly RawPath[],
  usersOwn: string | null,
): string | null {
  const root = `${rawPath(place.root)}/`;
  const inside = ignoreFiles.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length));
  // Rules of an inner folder are stronger than those of an outer one.
  const ordered = inside.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const parts = [usersOwn === null ? '' : readRules(rawPath(usersOwn)), excludeText(place)];
  let length = 0;
  for (const path of ordered) {
    const text = readRules(root + path);
    length += text.length;
    if (length > RULES_CHARACTERS_MAX) return null;
    parts.push(rulesBelow(textOf(path.slice(0, Math.max(path.lastIndexOf('/'), 0))), text));
  }
  return `${parts.join('\n')}\n`;
}

function depthOf(path: RawPath): number {
  return path.split('/').length;
}

function readRules(path: RawPath): string {
  return readPlainFile(bytesOf(path), GIT_TEXT_BYTES_MAX) ?? '';
}

/** Rewrites the rules of a folder as rules of the top. */
function rulesBelow(folder: string, text: string): string {
  if (folder === '') return text;
  // A rule cannot contain a line end, and this list no byte that is not UTF-8.
  const prefix = folder.replace(/[\\*?[]/g, '\\$&').replace(/[\n\uFFFD]+/g, '*');
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => ruleBelow(prefix, line.replace(/\r$/, ''))).join('\n');
}

function ruleBelow(prefix: string, line: string): string {
  if (line.startsWith('#') || line.trim() === '') return '';
  const [not, rule] = line.startsWith('!') ? ['!', line.slice(1)] : ['', line];
  // A rule with a slash before its end holds in its own folder only, any other one at every depth below.
  const isAnchored = /\/./.test(rule);
  return `${not}/${prefix}/${isAnchored ? rule.replace(/^\//, '') : `**/${rule}`}`;
}

/** Stores rules under their hash: those from before a run decide afterwards which new files are ignored. */
export function keepRules(dataFolder: string, rules: string): string {
  const hash = hashOfRules(rules);
  if (keptRules(dataFolder, hash) !== null) renewFile(rulesFile(dataFolder, hash));
  else {
    makeFoldersIn(dataFolder, join(dataFolder, ...FOLDER));
    replaceFile(rulesFile(dataFolder, hash), rules, { isSynced: false });
  }
  return hash;
}

export function hashOfRules(rules: string): string {
  return createHash('sha256').update(rules).digest('hex').slice(0, 32);
}

/** The file of stored rules; null where it is gone or torn. */
export function keptRules(dataFolder: string, hash: string): string | null {
  const file = rulesFile(dataFolder, hash);
  return hashOfRules(readPlainFile(file, KEPT_BYTES_MAX) ?? '') === hash ? file : null;
}

function rulesFile(dataFolder: string, hash: string): string {
  return join(dataFolder, ...FOLDER, hash);
}

const KEPT_BYTES_MAX = 16 * MIB;

/** Beside the git folders of workspaces, and no git folder itself. */
export const RULES_FOLDER = 'ignore-rules';
const FOLDER = ['shadows', RULES_FOLDER];
