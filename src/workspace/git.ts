import { GIT_MS_MAX, GIT_OUTPUT_BYTES_MAX, GIT_SLOW_MS } from '../domain/limits.ts';
import { inOneLine } from '../domain/words/in-one-line.ts';
import { isOutOfDescriptors } from '../platform/process/machine-limits.ts';
import {
  type PipeEnd,
  type ProgramCall,
  type ProgramEnd,
  pipePrograms,
  runProgram,
} from '../platform/process/run-program.ts';
import { waitAtMost } from '../platform/timer.ts';
import { releasePipes } from './files/release-pipes.ts';
import { WorkspaceFault } from './workspace-fault.ts';

/** The repository of a git call. Always given and never searched for: git trusts a repository that it finds itself. */
export interface GitPlace {
  readonly gitDir: string;
  readonly workTree: string;
  readonly env?: GitEnvironment;
  /** Ends a running call, with all processes that git started, and refuses further ones. */
  readonly signal?: AbortSignal;
}

/** GIT_… variables on top of those of every call; undefined removes one. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

export interface GitCall {
  readonly args: readonly string[];
  /** Such as `core.preloadIndex=false`, on top of those of every call. */
  readonly settings?: readonly string[];
  readonly input?: Uint8Array;
  readonly env?: GitEnvironment;
  /** Exit codes that are answers; any other is a fault. */
  readonly exitCodes?: readonly number[];
  readonly outputBytesMax?: number;
  /** For a call that reads or writes very much. */
  readonly timeoutMs?: number;
}

// Every setting that names a command is off: an agent may have written the repository's configuration.
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=:',
  'core.sshCommand=false',
  'core.askPass=',
  'core.logAllRefUpdates=false',
  // A reported shadow must survive a power cut: undo restores from it.
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
  'credential.helper=',
  'protocol.allow=never',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

const ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_AUTHOR_NAME: 'Baton',
  GIT_AUTHOR_EMAIL: 'baton@localhost',
  GIT_COMMITTER_NAME: 'Baton',
  GIT_COMMITTER_EMAIL: 'baton@localhost',
};

/** Git has no exit code of its own for an object that is torn or gone; with LC_ALL=C its words are always these. */
const DAMAGED =
  /corrupt|loose object|bad object|bad tree object|unable to read|unable to unpack|could not read|cannot read|not a valid object|object file/;
const OBJECT = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{2}\/[0-9a-f]{38})\b/;

/** The object that a line names behind such words; null where none does. */
function damagedObjectIn(stderr: string): string | null {
  for (const line of stderr.split('\n')) {
    const [object] = OBJECT.exec(line.slice(DAMAGED.exec(line)?.index ?? line.length)) ?? [];
    if (object !== undefined) return object;
  }
  return null;
}

/** Calls git within its time limit. The output is bytes, because file names are. */
export async function git(place: GitPlace, call: GitCall): Promise<ProgramEnd> {
  const operation = `git ${call.args[0]}`;
  const running = runProgram(programOf(place, call));
  if (!(await waitAtMost(running, GIT_SLOW_MS))) await releasePipes(place.workTree);
  const ended = await running;
  if (place.signal?.aborted) {
    const { reason: cause } = place.signal;
    throw new WorkspaceFault(operation, `${operation} was stopped`, { retryable: true, cause });
  }
  if (ended.startError) {
    const { startError: cause } = ended;
    throw new WorkspaceFault(operation, `git could not be started (${(cause as NodeJS.ErrnoException).code})`, {
      retryable: isOutOfDescriptors(cause),
      cause,
    });
  }
  if (ended.isTimedOut) {
    const { timeoutMs = GIT_MS_MAX } = call;
    throw new WorkspaceFault(operation, `${operation} took more than ${timeoutMs / 1000} s`, { retryable: true });
  }
  if (!(call.exitCodes ?? [0]).includes(ended.exitCode ?? -1)) {
    const message = `${operation} ended with ${ended.exitCode}: ${inOneLine(ended.stderr, '; ')}`;
    const damagedObject = damagedObjectIn(ended.stderr);
    throw new WorkspaceFault(operation, message, { retryable: damagedObject === null, damagedObject });
  }
  if (ended.isTruncated && call.outputBytesMax === undefined) {
    throw new WorkspaceFault(operation, `${operation} printed too much`, { retryable: false });
  }
  return ended;
}

/** Calls git twice, with the output of the first as the input of the second. */
export function gitPipe(place: GitPlace, [from, to]: readonly [GitCall, GitCall], bytesMax: number): Promise<PipeEnd> {
  return pipePrograms(programOf(place, from), programOf(place, to), bytesMax);
}

function programOf(place: GitPlace, call: GitCall): ProgramCall {
  return {
    argv: ['git', ...SETTINGS, ...(call.settings ?? []).flatMap((each) => ['-c', each]), '--no-pager', ...call.args],
    cwd: place.workTree,
    env: { ...ENVIRONMENT, GIT_DIR: place.gitDir, GIT_WORK_TREE: place.workTree, ...place.env, ...call.env },
    timeoutMs: call.timeoutMs ?? GIT_MS_MAX,
    outputBytesMax: call.outputBytesMax ?? GIT_OUTPUT_BYTES_MAX,
    ...(call.input ? { input: call.input } : {}),
    ...(place.signal ? { signal: place.signal } : {}),
  };
}

/** The one line that a plumbing command prints. */
export async function gitLine(place: GitPlace, call: GitCall): Promise<string> {
  return (await git(place, call)).stdout.toString('utf8').trim();
}

const NUL = 0;

/** Splits what a command prints with -z. */
export function* splitAtNul(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, from)) {
    yield bytes.subarray(from, end);
    from = end + 1;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}
