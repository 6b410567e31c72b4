import { assertNever } from '../assert-never.ts';
import type { Expects } from '../order/order.ts';

/** How a command ended: `hasOutput` is about its standard output. */
export type CommandEnd =
  | {
      readonly kind: 'ran';
      /** Null if a signal ended it. */
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly hasOutput: boolean;
      readonly isTimedOut: boolean;
    }
  | { readonly kind: 'could-not-run'; readonly reason: string };

/** The state of an expected file. */
export type FileFound = 'there' | 'missing' | 'no-file' | 'no-folder' | 'outside' | 'unreadable';

/** The finding of a check: the end of a command, or the state of a file. */
export type CheckFacts =
  | { readonly kind: 'command'; readonly argv: readonly string[]; readonly end: CommandEnd }
  | { readonly kind: 'file'; readonly path: string; readonly found: FileFound };

export type CheckOutcome = 'passed' | 'failed' | 'could-not-run';

export interface Judgement {
  readonly result: CheckOutcome;
  /** A sentence for a person. */
  readonly reason: string;
}

/** aop:expects: whether the finding meets the expectation. */
export function judgeExpectation(expects: Expects, facts: CheckFacts): Judgement {
  if (facts.kind === 'file') return judgeFile(facts.path, facts.found);
  const { end, argv } = facts;
  if (end.kind === 'could-not-run') return couldNotRun(end.reason);
  if (end.isTimedOut) return couldNotRun('it did not end in time');
  if (end.signal !== null || end.exitCode === null) return couldNotRun(`it was ended by ${end.signal ?? 'a signal'}`);
  const output = end.hasOutput ? 'output' : isQuiet(argv) ? 'none, and told to be quiet' : 'none';
  switch (expects) {
    case 'exit-code-0':
      return judgeExitCode(end.exitCode);
    case 'match-found':
      return judgeMatch(end.exitCode, output !== 'none');
    case 'no-match':
      return judgeNoMatch(end.exitCode, output);
    case 'file-exists':
      return couldNotRun('the check is about a file, and a command was run');
    default:
      return assertNever(expects);
  }
}

/** sh and env exit with 126 and 127 where a program is not executable or missing. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const SIGNALLED = 128;
const SIGNALS_MAX = 64;

function judgeExitCode(exitCode: number): Judgement {
  if (exitCode === 0) return passed('exit 0');
  return neverRan(exitCode) ?? failed(`exit ${exitCode}, expected 0`);
}

function judgeMatch(exitCode: number, isFound: boolean): Judgement {
  if (exitCode === 0) return isFound ? passed('a match was found') : failed('exit 0, but it found nothing to show');
  if (exitCode === 1) return failed('no match was found');
  return neverRan(exitCode) ?? couldNotRun(`exit ${exitCode} says neither match nor no match`);
}

function judgeNoMatch(exitCode: number, output: 'output' | 'none' | 'none, and told to be quiet'): Judgement {
  if (exitCode === 1) return passed('no match was found');
  if (exitCode === 0) {
    if (output === 'none') return passed('it found nothing to show');
    return failed('a match was found, and none was expected');
  }
  return neverRan(exitCode) ?? couldNotRun(`exit ${exitCode} says neither match nor no match`);
}

function neverRan(exitCode: number): Judgement | null {
  if (exitCode === NOT_FOUND) return couldNotRun('exit 127: a program was not found');
  if (exitCode === NOT_EXECUTABLE) return couldNotRun('exit 126: a program could not be started');
  if (exitCode > SIGNALLED && exitCode <= SIGNALLED + SIGNALS_MAX)
    return couldNotRun(`exit ${exitCode}: ended by signal ${exitCode - SIGNALLED}`);
  return null;
}

function judgeFile(path: string, found: FileFound): Judgement {
  switch (found) {
    case 'there':
      return passed(`${path} is there`);
    case 'missing':
      return failed(`${path} is not there`);
    case 'no-file':
      return failed(`${path} is there, and is no file`);
    case 'no-folder':
      return failed(`${path} is there, and is no folder`);
    case 'outside':
      return couldNotRun(`${path} is outside of the paths that the task may read`);
    case 'unreadable':
      return couldNotRun(`${path} cannot be looked at`);
    default:
      return assertNever(found);
  }
}

/** Programs that accept several single-letter options behind one hyphen. */
const SEARCHERS = /(?:^|\/)(?:[a-z]*grep|rg|ag|ack)$/;
/** The quiet option among others, unless an earlier letter takes the rest as its value. */
const BUNDLE = /^-[^-efmABCDd]*[qs]/;
/** For other programs: -size and -version are whole words. */
const SHORT_BUNDLE = /^-(?=[A-Za-z]{1,3}$)[A-Za-z]*[qs]/;

/** Whether the command has -q, --quiet or -s, also behind other letters, as in -nq. Options end at --. */
function isQuiet(argv: readonly string[]): boolean {
  const isShell = argv[0] === '/bin/sh' && argv[1] === '-c';
  const words = isShell ? (argv[2] ?? '').trim().split(/\s+/) : argv;
  const end = words.indexOf('--');
  const options = words.slice(0, end === -1 ? words.length : end).filter((word) => word.startsWith('-'));
  const letters = words.some((word) => SEARCHERS.test(word)) ? BUNDLE : SHORT_BUNDLE;
  return options.some((word) => word === '--quiet' || word === '--silent' || letters.test(word));
}

function passed(reason: string): Judgement {
  return { result: 'passed', reason };
}

function failed(reason: string): Judgement {
  return { result: 'failed', reason };
}

function couldNotRun(reason: string): Judgement {
  return { result: 'could-not-run', reason };
}
