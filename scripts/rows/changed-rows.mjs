// The rows that this branch has changed: their source, a test, the sentence or the mutation differs from where the branch
// left main, commits and files on the disk alike.
import { execFileSync } from 'node:child_process';
import { ROOT } from '../set-up.mjs';
import { readRows } from './read-rows.mjs';

/** @typedef {import('./read-rows.mjs').Row} Row */

/** @param {string[]} args */
function git(args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** @param {string} commit */
function readAt(commit) {
  return (/** @type {string} */ path) => {
    try {
      return git(['show', `${commit}:${path}`]);
    } catch {
      // It was not there yet.
      return undefined;
    }
  };
}

/** @param {Row} row */
function textOf({ sentence, state, mutation }) {
  return JSON.stringify([sentence, state, mutation]);
}

/** @param {Row[]} rows */
export function changedRows(rows) {
  const base = git(['merge-base', 'HEAD', 'main']).trim();
  const paths = git(['diff', '--name-only', '-z', base]) + git(['ls-files', '--others', '--exclude-standard', '-z']);
  const changed = new Set(paths.split('\0'));
  const before = new Map(readRows(readAt(base)).map((row) => [row.id, textOf(row)]));
  return rows.filter((row) => {
    const files = [row.mutation?.file ?? '', ...row.holders.map(({ file }) => file)];
    return files.some((file) => changed.has(file)) || before.get(row.id) !== textOf(row);
  });
}
