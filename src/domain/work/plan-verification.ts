import type { CheckResult, MadeCheck } from '../execution/check-result.ts';
import type { Checkpoint, ExpectedOutput, Expects, Order, Validation } from '../order/order.ts';

/** One command to run or one file to find. */
export interface PlannedCheck {
  /** Unique, and the same before and after a run. */
  readonly id: string;
  readonly kind: CheckResult['kind'];
  readonly command: string | null;
  readonly expects: Expects;
  readonly path: string | null;
  /** A folder at the path does not count: the order expects a file. */
  readonly isFile?: boolean;
}

/** The parts of a finished check that a verification uses. */
export type MadePart = Pick<
  MadeCheck,
  'id' | 'command' | 'result' | 'reason' | 'exitCode' | 'stdoutTail' | 'stderrTail' | 'durationMs'
>;

/** An output, a checkpoint or a check of an order, with all conditions that must hold for it. */
interface Requirement {
  readonly id: string;
  readonly kind: CheckResult['kind'];
  readonly checks: readonly PlannedCheck[];
}

/** In the order in which they are made: outputs, checkpoints by phase, checks. */
export function checksOf(order: Order): readonly PlannedCheck[] {
  return judgedBy(order).flatMap(({ checks }) => checks);
}

/** The checks as a plan lists them: each once, by its command or its file. */
export function checkNames(order: Order): readonly string[] {
  return [...new Set(checksOf(order).map(({ command, path }) => command ?? `${path} is there`))];
}

/** One result for each output, checkpoint and check, from the finished checks. */
export function resultsOf(order: Order, made: readonly MadePart[]): readonly CheckResult[] {
  const byId = new Map(made.map((part) => [part.id, part]));
  return judgedBy(order).map((judged) => {
    const parts = judged.checks.map(({ id }) => byId.get(id) ?? notMade(id));
    return { id: judged.id, kind: judged.kind, ...judgeParts(judged.id, parts) };
  });
}

function judgedBy({ outputs, phases, checks }: Order): readonly Requirement[] {
  const checkpoints = phases.flatMap((phase) => phase.checkpoints);
  return [
    ...outputs.map(judgedOutput),
    ...checkpoints.map(judgedCheckpoint),
    ...[...new Set(checks)].map((command): Requirement => {
      const check = { id: `check ${command}`, kind: 'check', command, expects: 'exit-code-0', path: null } as const;
      return { id: command, kind: 'check', checks: [check] };
    }),
  ];
}

function judgedOutput(output: ExpectedOutput, at: number): Requirement {
  const id = output.path ?? `${output.type} ${at + 1}`;
  return { id, kind: 'output', checks: checksOfOutput(output, { id: `output ${at + 1}`, kind: 'output' }) };
}

function judgedCheckpoint({ id, artifacts, validation }: Checkpoint, at: number): Requirement {
  const name = `checkpoint ${at + 1}`;
  const parts = artifacts.flatMap((artifact, place) =>
    checksOfOutput(artifact, { id: `${name}, artifact ${place + 1}`, kind: 'checkpoint' }),
  );
  const own = validation === null ? [] : [checkOf(validation, { id: name, kind: 'checkpoint' })];
  return { id, kind: 'checkpoint', checks: [...parts, ...own] };
}

type CheckName = Pick<PlannedCheck, 'id' | 'kind'>;

/** A file or folder has to exist, and its validation has to pass. */
function checksOfOutput({ type, path, validation }: ExpectedOutput, { id, kind }: CheckName): readonly PlannedCheck[] {
  const isLookedFor =
    path !== null && (type === 'FILE' || type === 'DIRECTORY' || validation?.expects === 'file-exists');
  // A path with a trailing / has to be a folder.
  const place = type === 'DIRECTORY' ? `${path}/` : path;
  const checks: PlannedCheck[] = [];
  const isFile = type === 'FILE' && { isFile: true };
  if (isLookedFor)
    checks.push({ id: `${id}: there`, kind, command: null, expects: 'file-exists', path: place, ...isFile });
  const isLookedForTwice = isLookedFor && validation?.expects === 'file-exists';
  if (validation !== null && !isLookedForTwice) checks.push(checkOf(validation, { id, kind }));
  return checks;
}

function checkOf({ command, expects }: Validation, { id, kind }: CheckName): PlannedCheck {
  return { id, kind, command, expects, path: null };
}

/** A failure decides, then a check that could not run; if all pass, the last one is shown. */
function judgeParts(id: string, parts: readonly MadePart[]): Omit<CheckResult, 'id' | 'kind'> {
  const shown =
    parts.find(({ result }) => result === 'failed') ??
    parts.find(({ result }) => result === 'could-not-run') ??
    parts.at(-1);
  const durationMs = parts.reduce((sum, part) => sum + part.durationMs, 0);
  if (!shown) {
    const message = 'it defines no check';
    return { result: 'not-checkable', message, command: null, exitCode: null, tail: '', durationMs };
  }
  const { result, command, exitCode } = shown;
  const message = result === 'passed' ? parts.map(({ reason }) => reason).join('; ') : sentenceOf(shown);
  const why = command === id ? shown.reason : message;
  return { result, message, why, command, exitCode, tail: tailOf(shown), durationMs };
}

function sentenceOf({ command, reason }: MadePart): string {
  return command === null ? reason : `${command}: ${reason}`;
}

function tailOf({ stdoutTail, stderrTail }: MadePart): string {
  if (stdoutTail === '' || stderrTail === '') return stdoutTail + stderrTail;
  return `${stdoutTail}${stdoutTail.endsWith('\n') ? '' : '\n'}${stderrTail}`;
}

function notMade(id: string): MadePart {
  const none = { command: null, exitCode: null, stdoutTail: '', stderrTail: '', durationMs: 0 };
  return { id, result: 'could-not-run', reason: 'it did not run', ...none };
}
