import { resolve } from 'node:path';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { SLOTS_SETTING_MAX } from '../../domain/limits.ts';
import type { SessionRequest } from '../../domain/session/session-request.ts';
import { type Call, type FlagSpec, flagText, flagTexts, UsageError } from '../command.ts';
import { checkFlags, dollarsOf, ORDER_FLAGS, readFileText, retriesOf, secondsOf } from '../order/read-order-request.ts';
import { textOrInput } from '../read-input.ts';

/** Limits of a whole session. */
export const LIMIT_FLAGS: Readonly<Record<string, FlagSpec>> = {
  budget: { takes: 'value', shows: 'USD', help: 'cost limit of the whole session in US dollars' },
  deadline: {
    takes: 'value',
    shows: 'TIME',
    help: 'time limit of the whole session: 90, 15m, 8h; sleep does not count',
  },
  'at-once': { takes: 'value', shows: 'N', help: 'at most so many of its tasks run at the same time' },
};

const { workspace, timeout, retries, net, allow, worktree, review } = ORDER_FLAGS as Record<string, FlagSpec>;

export const SESSION_FLAGS: Readonly<Record<string, FlagSpec>> = {
  agent: { takes: 'value', shows: 'NAME', help: 'default agent for tasks in words' },
  check: {
    takes: 'values',
    shows: 'COMMAND',
    help: 'default check for tasks in words; it also checks the merged work; repeatable',
  },
  ...(LIMIT_FLAGS as Record<string, FlagSpec>),
  ...Object.fromEntries(
    Object.entries({ workspace, timeout, retries, net, allow, worktree, review }).flatMap(([name, spec]) =>
      spec === undefined ? [] : [[name, spec]],
    ),
  ),
};

/** Reads the flags and the file of a call; throws before anything is opened. */
export async function sessionRequestOf(call: Call): Promise<SessionRequest> {
  const agent = flagText(call, 'agent');
  const timeoutGiven = flagText(call, 'timeout');
  const retriesGiven = flagText(call, 'retries');
  const allowed = flagTexts(call, 'allow');
  return {
    text: await textOf(call),
    workspace: resolve(flagText(call, 'workspace') ?? '.'),
    origin: 'CLI',
    checks: checkFlags(call),
    net: flagTexts(call, 'net') ?? [],
    ...(agent !== undefined && { agent }),
    ...(timeoutGiven !== undefined && { timeoutSeconds: secondsOf(timeoutGiven) }),
    ...(retriesGiven !== undefined && { retries: retriesOf(retriesGiven) }),
    ...(allowed !== undefined && { allow: allowed.map((path) => resolve(path)) }),
    ...(call.flags.worktree === true && { worktree: true }),
    ...(call.flags.review === true && { reviewRequired: true }),
    ...limitsOf(call),
  };
}

export function limitsOf(call: Call) {
  const budget = flagText(call, 'budget');
  const deadline = flagText(call, 'deadline');
  const atOnce = flagText(call, 'at-once');
  return {
    ...(budget !== undefined && { budgetUsd: dollarsOf(budget) }),
    ...(deadline !== undefined && { deadlineSeconds: secondsOf(deadline, 'deadline') }),
    ...(atOnce !== undefined && { atOnce: countOf(atOnce) }),
  };
}

function countOf(given: string): number {
  const count = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (count > 0 && count <= SLOTS_SETTING_MAX) return count;
  throw new UsageError(
    `--at-once: ${JSON.stringify(given)} is not a number from 1 to ${SLOTS_SETTING_MAX}`,
    '--at-once 3',
  );
}

async function textOf(call: Call): Promise<string> {
  const [file, ...others] = call.words;
  const usage = 'baton session run FILE, or - for standard input';
  if (file === undefined) throw new UsageError('session run: no file given', usage);
  if (others.length > 0) throw new UsageError('session run: more than one file given', usage);
  return file === '-' ? await textOrInput('-', NDJSON_LINE_BYTES_MAX) : await readFileText(file);
}

/** The session that all given words name together. */
export function sessionWords(call: Call, command: string): string {
  if (call.words.join('').trim() !== '') return call.words.join(' ');
  throw new UsageError(`session ${command}: needs a session`, `baton session ${command} SESSION; @ is the newest`);
}
