import { withoutEnd } from '../words/without-end.ts';

/** One name in a folder of a commit, with its mode as git stores it. */
export interface TreeEntry {
  readonly mode: string;
  /** Bytes that are no UTF-8 are replaced. */
  readonly name: string;
  /** The length of the name as it is stored. */
  readonly nameBytes: number;
}

export interface TreeProblem {
  readonly name: string;
  readonly reason: string;
}

/** The judgement of a folder that another node sent. */
export interface JudgedTree {
  readonly problem: TreeProblem | null;
  /** Two names that are one on a disk that does not tell small letters from large ones. */
  readonly twins: readonly [string, string] | null;
}

export const FOLDER_MODES: readonly string[] = ['40000', '040000'];
export const LINK_MODE = '120000';
export const SUBMODULE_MODE = '160000';
const FILE_MODES: readonly string[] = ['100644', '100755', '100664'];
const NAME_BYTES_MAX = 255;

/**
 * Judges the names of one folder of a commit before any of them becomes a file. Git itself refuses most of them when it checks
 * out; here the whole parcel is refused, with the name, and on every system for what would do harm on one.
 */
export function judgeTree(entries: readonly TreeEntry[]): JudgedTree {
  const seen = new Map<string, TreeEntry>();
  let twins: JudgedTree['twins'] = null;
  for (const entry of entries) {
    const reason = reasonAgainst(entry);
    if (reason !== null) return { problem: { name: entry.name, reason }, twins: null };
    const folded = foldedName(entry.name);
    const twin = seen.get(folded);
    if (twin && isEqualName(twin, entry))
      return { problem: { name: entry.name, reason: 'it is there twice' }, twins: null };
    if (twin && isFolderBehindLink(twin, entry)) {
      const reason = `it and ${JSON.stringify(twin.name)}, the same name in other letters, are a link and a folder`;
      return { problem: { name: entry.name, reason }, twins: null };
    }
    if (twin) twins ??= [twin.name, entry.name];
    seen.set(folded, entry);
  }
  return { problem: null, twins };
}

/** Through the link, the files of the folder would lie somewhere else. */
function isFolderBehindLink(...twins: readonly TreeEntry[]): boolean {
  return twins.some(({ mode }) => mode === LINK_MODE) && twins.some(({ mode }) => FOLDER_MODES.includes(mode));
}

/** Two names of bytes that are no UTF-8 look alike and need not be the same. */
function isEqualName(one: TreeEntry, other: TreeEntry): boolean {
  return one.name === other.name && !one.name.includes('\ufffd');
}

function reasonAgainst({ mode, name, nameBytes }: TreeEntry): string | null {
  const isFolder = FOLDER_MODES.includes(mode);
  if (!isFolder && mode !== LINK_MODE && mode !== SUBMODULE_MODE && !FILE_MODES.includes(mode)) {
    return `git has no kind of file ${JSON.stringify(mode)}`;
  }
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
    return 'it is no name of a file';
  }
  if (nameBytes > NAME_BYTES_MAX) return `it is longer than ${NAME_BYTES_MAX} bytes`;
  if (isGitFolder(name)) return 'it is the folder of git itself, on some systems';
  if (mode === LINK_MODE && isNamed(name, '.gitmodules')) return 'git reads it, and it is a link';
  return null;
}

/** Characters that HFS+ leaves out when it compares names. */
const LEFT_OUT = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

function isGitFolder(name: string): boolean {
  return isNamed(name, '.git') || /^git~1$/i.test(ntfsName(name));
}

function isNamed(name: string, wanted: string): boolean {
  return [name.replaceAll(LEFT_OUT, ''), ntfsName(name)].some((one) => one.toLowerCase() === wanted);
}

/** NTFS leaves out blanks and dots at the end of a name, and names streams behind a colon. */
function ntfsName(name: string): string {
  return withoutEnd(name.split(/[:\\]/, 1)[0] ?? '', ' .');
}

function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}
