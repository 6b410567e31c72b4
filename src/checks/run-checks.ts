import { stat } from 'node:fs/promises';
import {
  type CheckFacts,
  type CommandEnd,
  type FileFound,
  judgeExpectation,
} from '../domain/decisions/judge-expectation.ts';
import { CHECK_MS_MAX, CHECK_TAIL_BYTES_MAX } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import { splitCommand } from '../domain/split-command.ts';
import type { Check, MadeCheck } from './check.ts';
import { tailOf } from './text-tail.ts';
import { findPlace, type WorkspacePlaces } from './workspace-places.ts';

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
  /** Asked before each check: a run that a person stopped makes no more of them. */
  isStopped?(): boolean;
}

/** Makes the checks one after the other, for one may need what another left behind. */
export async function runChecks(checks: readonly Check[], parts: CheckParts): Promise<readonly MadeCheck[]> {
  const made: MadeCheck[] = [];
  for (const check of checks) {
    const isStopped = parts.isStopped?.() ?? false;
    made.push(isStopped ? notMade(check, 'it was stopped before its turn') : await runCheck(check, parts));
  }
  return made;
}

async function runCheck(check: Check, parts: CheckParts): Promise<MadeCheck> {
  if (check.expects === 'FILE_EXISTS') return await lookForFile(check, parts);
  if (!check.command) return notMade(check, `${check.expects} needs a command, and there is none`);
  const argv = splitCommand(check.command, parts);
  if (isRefusal(argv)) return notMade(check, argv.message);
  const { workspaceRoot } = parts.places;
  const end = await parts.run({ argv, cwd: workspaceRoot, timeoutMs: parts.timeoutMs ?? CHECK_MS_MAX });
  const judged = madeOf(check, { kind: 'command', argv, end });
  if (end.kind === 'could-not-run') return { ...judged, argv };
  const { exitCode, signal, durationMs } = end;
  const stdoutTail = tailOf(end.stdoutTail, CHECK_TAIL_BYTES_MAX);
  const stderrTail = tailOf(end.stderrTail, CHECK_TAIL_BYTES_MAX);
  return { ...judged, argv, exitCode, signal, stdoutTail, stderrTail, durationMs };
}

async function lookForFile(check: Check, { places }: CheckParts): Promise<MadeCheck> {
  const path = check.path || pathOfCommand(check.command ?? '');
  if (path === '') return notMade(check, 'FILE_EXISTS needs a path, and there is none');
  const found = await findFile(path, places);
  return { ...madeOf(check, { kind: 'file', path, found }), path };
}

/** One word, quoted or not, is the path; what has blanks or signs of its own is the path as it stands. */
function pathOfCommand(command: string): string {
  const words = splitCommand(command, { isShellAllowed: false });
  return !isRefusal(words) && words.length === 1 ? (words[0] ?? '') : command.trim();
}

async function findFile(path: string, places: WorkspacePlaces): Promise<FileFound> {
  const place = await findPlace(path, places);
  if (place.kind !== 'there' || !path.endsWith('/')) return place.kind;
  return (await stat(place.realPath)).isDirectory() ? 'there' : 'missing';
}

function madeOf(check: Check, facts: CheckFacts): MadeCheck {
  return { ...unmade(check), ...judgeExpectation(check.expects, facts) };
}

function notMade(check: Check, reason: string): MadeCheck {
  return { ...unmade(check), result: 'could-not-run', reason };
}

function unmade({ id, kind, command = null, expects, path = null }: Check): Omit<MadeCheck, 'result' | 'reason'> {
  const none = { argv: null, exitCode: null, signal: null, stdoutTail: '', stderrTail: '', durationMs: 0 };
  return { id, kind, command, expects, path, ...none };
}
