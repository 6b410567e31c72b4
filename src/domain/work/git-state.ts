import { counted } from '../words/counted.ts';
/** Branches, tags, HEAD, stash and index of a repository at one moment. */
export interface GitState {
  /** `ref: refs/heads/main`, or a commit. */
  readonly head: string;
  /** Commits by ref, and `ref: …` for a ref to another one. Remote branches and Baton's own refs are left out. */
  readonly refs: Readonly<Record<string, string>>;
  /** The log of refs/stash, which is the list of stashes; empty without one. */
  readonly stashLog: string;
  /** Files of an unfinished merge, cherry-pick or revert, by name. */
  readonly operation: Readonly<Record<string, string>>;
  /** The hash of the index, by which it is saved; null where there is none. */
  readonly index: string | null;
  /** Locks of git, from the common git folder; absent in the states of older versions. */
  readonly locks?: readonly string[];
}

/** Something of git itself that the work changed. */
export interface GitChange {
  readonly kind:
    | 'head'
    | 'branch'
    | 'tag'
    | 'ref'
    | 'stash'
    | 'index'
    | 'operation'
    | 'repository'
    | 'lock'
    | 'removed-lock';
  /** The name of a branch, tag or ref; of HEAD the branch that it is on now; of the index the first changed files. */
  readonly name: string;
  /** Commits; null where there was, or is, none. */
  readonly before: string | null;
  readonly after: string | null;
  /** Commits that a branch gained, stashes that came or went, index entries that differ; null where it is not known. */
  readonly count: number | null;
}

export const STASH_REF = 'refs/stash';
const SYMBOLIC = /^ref: (?:refs\/heads\/)?(.+)$/;
const REF_KINDS = [
  ['branch', 'refs/heads/'],
  ['tag', 'refs/tags/'],
] as const;

/** The differences between two states, apart from the content of the index. */
export function compareGitStates(before: GitState, after: GitState): readonly GitChange[] {
  const names = [...new Set([...Object.keys(before.refs), ...Object.keys(after.refs)])].sort();
  const refs = names.filter((name) => name !== STASH_REF && before.refs[name] !== after.refs[name]);
  return [
    ...(before.head === after.head ? [] : [headChange(before, after)]),
    ...refs.map((name) => refChange(name, before, after)),
    ...(isSameStash(before, after) ? [] : [stashChange(before, after)]),
    ...operationChanges(before, after),
  ];
}

export function isSameStash(one: GitState, other: GitState): boolean {
  return one.refs[STASH_REF] === other.refs[STASH_REF] && one.stashLog === other.stashLog;
}

/** The commit that HEAD leads to; null before the first. */
export function headCommitOf({ head, refs }: GitState): string | null {
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  return ref === undefined ? head : (refs[ref] ?? null);
}

function headChange(before: GitState, after: GitState): GitChange {
  const name = SYMBOLIC.exec(after.head)?.[1] ?? 'detached';
  return { kind: 'head', name, before: before.head, after: after.head, count: null };
}

function refChange(ref: string, before: GitState, after: GitState): GitChange {
  const known = REF_KINDS.find(([, prefix]) => ref.startsWith(prefix));
  const [kind, name] = known ? [known[0], ref.slice(known[1].length)] : (['ref', ref] as const);
  return { kind, name, before: before.refs[ref] ?? null, after: after.refs[ref] ?? null, count: null };
}

function stashChange(before: GitState, after: GitState): GitChange {
  const [had, has] = [before, after].map(({ stashLog }) => stashLog.split('\n').filter(Boolean).length);
  const commits = { before: before.refs[STASH_REF] ?? null, after: after.refs[STASH_REF] ?? null };
  return { kind: 'stash', name: 'stash', ...commits, count: (has ?? 0) - (had ?? 0) };
}

/** The folders of unfinished operations in a git folder; their files are written and removed together. */
export const OPERATION_FOLDERS = ['rebase-merge', 'rebase-apply', 'sequencer'] as const;

const OPERATIONS: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['rebase-merge/head-name', 'rebase'],
  ['rebase-apply/head-name', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['BISECT_START', 'bisect'],
];

function operationChanges(before: GitState, after: GitState): readonly GitChange[] {
  return OPERATIONS.flatMap(([file, name]) => {
    const [was, is] = [before.operation[file] ?? null, after.operation[file] ?? null];
    return was === is ? [] : [{ kind: 'operation', name, before: was, after: is, count: null } as const];
  });
}

const SHOWN_CHARACTERS = 12;
const short = (commit: string | null) => (commit ?? '').slice(0, SHOWN_CHARACTERS);

/** A change as a sentence, for report and answer. */
export function gitChangeText(change: GitChange): string {
  const { kind, name, before, after, count } = change;
  switch (kind) {
    case 'head':
      return `HEAD was ${placeText(before)} and is ${placeText(after)}`;
    case 'index':
      return `${counted(count ?? 0, 'entry', 'entries')} of the index changed: ${name}`;
    case 'stash':
      return stashText(count ?? 0);
    case 'repository':
      return 'the repository cannot be read any more';
    case 'lock':
      return `the lock ${name} is left, and git may be at work; if it is not: rm ${name}`;
    case 'removed-lock':
      return `the lock ${name} was left by a git that had ended, and is removed`;
    case 'operation':
      return after === null ? `the ${name} that was begun is gone` : `a ${name} is unfinished`;
    default:
      return refText(change);
  }
}

function placeText(head: string | null): string {
  const branch = SYMBOLIC.exec(head ?? '')?.[1];
  return branch === undefined ? `at ${short(head)} without a branch` : `on ${branch}`;
}

function stashText(count: number): string {
  if (count === 0) return 'the stash was changed';
  return count > 0
    ? `${counted(count, 'stash is', 'stashes are')} new`
    : `${counted(-count, 'stash is', 'stashes are')} gone`;
}

function refText({ kind, name, before, after, count }: GitChange): string {
  if (before === null) return `the ${kind} ${name} is new (${short(after)})`;
  if (after === null) return `the ${kind} ${name} is gone (it was ${short(before)})`;
  const more = count === null || count === 0 ? '' : ` (${counted(count, 'commit', 'commits')})`;
  return `the ${kind} ${name} moved from ${short(before)} to ${short(after)}${more}`;
}

/** A ref as people call it. */
export function refName(ref: string): string {
  if (ref === STASH_REF) return 'the stash';
  const known = REF_KINDS.find(([, prefix]) => ref.startsWith(prefix));
  if (known) return `the ${known[0]} ${ref.slice(known[1].length)}`;
  return ref === 'HEAD' ? ref : `the ref ${ref}`;
}
