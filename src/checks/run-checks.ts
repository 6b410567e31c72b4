import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { MadeCheck } from '../domain/execution/check-result.ts';
import { CHECK_MS_MAX, CHECK_TAIL_BYTES_MAX, PATH_LINKS_MAX } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import { splitCommand } from '../domain/words/split-command.ts';
import {
  type CheckFacts,
  type CommandEnd,
  type FileFound,
  judgeExpectation,
} from '../domain/work/judge-expectation.ts';
import { isWithin } from '../domain/work/path-text.ts';
import type { PlannedCheck } from '../domain/work/plan-verification.ts';
import { onThisMachine, resolveTaskPath, type WorkspacePlaces } from './workspace-places.ts';

export type CommandRun =
  | (Extract<CommandEnd, { kind: 'ran' }> & {
      readonly stdoutTail: string;
      readonly stderrTail: string;
      readonly durationMs: number;
    })
  | Extract<CommandEnd, { kind: 'could-not-run' }>;

/** Runs a program where checks run: in the sandbox, with the rights and the environment of the task. */
export type RunCommand = (command: {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
}) => Promise<CommandRun>;

export interface CheckParts {
  readonly run: RunCommand;
  readonly places: WorkspacePlaces;
  readonly isShellAllowed: boolean;
  readonly timeoutMs?: number;
  /** When the first agent started; no link is judged without it. */
  readonly agentStartedAt?: number | undefined;
  /** Once it is aborted, the remaining checks are not made. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the checks one after the other, for one may need what another left behind. */
export async function runChecks(checks: readonly PlannedCheck[], parts: CheckParts): Promise<readonly MadeCheck[]> {
  const made: MadeCheck[] = [];
  for (const check of checks) {
    made.push(parts.signal?.aborted ? notMade(check, 'it was stopped before its turn') : await runCheck(check, parts));
  }
  return made;
}

async function runCheck(check: PlannedCheck, parts: CheckParts): Promise<MadeCheck> {
  if (check.expects === 'file-exists') return lookForFile(check, parts);
  if (!check.command) return notMade(check, 'the check needs a command, and there is none');
  const argv = splitCommand(check.command, parts);
  if (isRefusal(argv)) return notMade(check, argv.message);
  const { workspaceRoot } = parts.places;
  const linkOut = parts.agentStartedAt === undefined ? null : findLinkOut(argv, parts.places, parts.agentStartedAt);
  if (linkOut !== null) {
    return notMade(
      check,
      `${linkOut} points outside of the workspace through a link that appeared during the run: remove the link`,
    );
  }
  const end = await parts.run({ argv, cwd: workspaceRoot, timeoutMs: parts.timeoutMs ?? CHECK_MS_MAX });
  const judged = madeOf(check, { kind: 'command', argv, end });
  if (end.kind === 'could-not-run') return { ...judged, argv };
  const { exitCode, signal, durationMs } = end;
  const stdoutTail = tailOf(end.stdoutTail, CHECK_TAIL_BYTES_MAX);
  const stderrTail = tailOf(end.stderrTail, CHECK_TAIL_BYTES_MAX);
  return { ...judged, argv, exitCode, signal, stdoutTail, stderrTail, durationMs };
}

function lookForFile(check: PlannedCheck, { places }: CheckParts): MadeCheck {
  const path = check.path || pathOfCommand(check.command ?? '');
  if (path === '') return notMade(check, 'a check for a file needs a path, and there is none');
  const found = findFile(path, places, check.isFile ?? false);
  return { ...madeOf(check, { kind: 'file', path, found }), path };
}

/** One word, quoted or not, is the path; what has blanks or signs of its own is the path as it stands. */
function pathOfCommand(command: string): string {
  const words = splitCommand(command, { isShellAllowed: false });
  return !isRefusal(words) && words.length === 1 ? (words[0] ?? '') : command.trim();
}

/** Behind a / only a folder counts, and only a file where one is expected. */
function findFile(path: string, places: WorkspacePlaces, isFile: boolean): FileFound {
  const place = resolveTaskPath(path, places);
  if (place.kind !== 'there') return place.kind;
  if (isFile && place.what !== 'file') return 'no-file';
  return path.endsWith('/') && place.what !== 'folder' ? 'no-folder' : 'there';
}

function madeOf(check: PlannedCheck, facts: CheckFacts): MadeCheck {
  return { ...unmade(check), ...judgeExpectation(check.expects, facts) };
}

function notMade(check: PlannedCheck, reason: string): MadeCheck {
  return { ...unmade(check), result: 'could-not-run', reason };
}

function unmade({ id, kind, command, expects, path }: PlannedCheck): Omit<MadeCheck, 'result' | 'reason'> {
  const none = { argv: null, exitCode: null, signal: null, stdoutTail: '', stderrTail: '', durationMs: 0 };
  return { id, kind, command, expects, path, ...none };
}

const CONTINUES = 0b1000_0000;
const CONTINUES_MASK = 0b1100_0000;

/** The end of a text in at most so many bytes of UTF-8, cut between characters. */
function tailOf(text: string, bytesMax: number): string {
  // A UTF-16 unit takes at most three bytes.
  const bytes = Buffer.from(text.slice(-bytesMax), 'utf8');
  let from = Math.max(0, bytes.length - bytesMax);
  while (from < bytes.length && from > 0 && ((bytes[from] ?? 0) & CONTINUES_MASK) === CONTINUES) from++;
  return bytes.subarray(from).toString('utf8');
}

/** Readable for every process anyway: the interpreter of a new Python environment is a link to one of these. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store'];

/**
 * The first word of a check that names a file of the workspace, but leads out of it by a link that came since the agent
 * started: the check would show or run a file that the task does not grant. Null if there is none. Links are dated by
 * their change time, which no process can set.
 */
function findLinkOut(argv: readonly string[], places: WorkspacePlaces, sinceMs: number): string | null {
  return argv.flatMap(pathsIn).find((path) => leadsOut(path, places, sinceMs)) ?? null;
}

/** A word may be a path, hold one behind an =, or be a command line for a shell. */
function pathsIn(word: string): string[] {
  const parts = word.split(/[\s"'|&;<>()]+/);
  const values = parts.flatMap((part) => (part.includes('=') ? [part, part.slice(part.indexOf('=') + 1)] : [part]));
  return [word, ...values].filter((path) => path !== '' && !path.startsWith('-'));
}

function leadsOut(path: string, places: WorkspacePlaces, sinceMs: number): boolean {
  const { workspaceRoot } = places;
  if (!isWithin(workspaceRoot, resolve(workspaceRoot, path))) return false;
  if (resolveTaskPath(path, places).kind !== 'outside') return false;
  const root = onThisMachine(workspaceRoot, places);
  const end = endOfLinks(onThisMachine(path, places), { root, sinceMs, linksMax: PATH_LINKS_MAX });
  return end.isNew && !SYSTEM_FOLDERS.some((folder) => isWithin(folder, end.path));
}

interface LinkWalk {
  readonly root: string;
  readonly sinceMs: number;
  readonly linksMax: number;
}

interface LinkEnd {
  readonly path: string;
  readonly isNew: boolean;
}

/** Follows links as long as they stay in the folder; whether one of them is new. */
function endOfLinks(path: string, walk: LinkWalk): LinkEnd {
  const { root, sinceMs, linksMax } = walk;
  const parts = relative(root, path).split(sep);
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const stats = statsOf(at);
    if (!stats?.isSymbolicLink()) continue;
    const target = join(resolve(dirname(at), readlinkSync(at)), ...parts.slice(index + 1));
    const isNew = stats.ctimeMs >= sinceMs;
    if (!isWithin(root, target) || linksMax === 0) return { path: target, isNew };
    const end = endOfLinks(target, { ...walk, linksMax: linksMax - 1 });
    return { path: end.path, isNew: isNew || end.isNew };
  }
  return { path: at, isNew: false };
}

function statsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
