import { resolve } from 'node:path';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { RETRIES_ASKED_MAX } from '../../domain/limits.ts';
import type { OrderRequest } from '../../domain/order/order-request.ts';
import { openBytes, readBounded } from '../../platform/files/files.ts';
import { type Call, type FlagSpec, flagText, flagTexts, UsageError } from '../command.ts';
import { textOrInput, whyUnreadable } from '../read-input.ts';

export const ORDER_FLAGS: Readonly<Record<string, FlagSpec>> = {
  agent: { takes: 'value', shows: 'NAME', help: 'the agent to use; baton agents lists them' },
  workspace: { takes: 'value', shows: 'FOLDER', help: 'the folder to work in (default: this one)' },
  check: {
    takes: 'values',
    shows: 'COMMAND',
    help: 'a command that must pass afterwards, such as "npm test"; repeatable',
  },
  timeout: { takes: 'value', shows: 'SECONDS', help: 'time limit: 90, 15m, 2h' },
  retries: {
    takes: 'value',
    shows: 'N',
    help: 'attempts after a failed one, each told what failed (default: 1; in a TASK: its max_retries)',
  },
  budget: { takes: 'value', shows: 'USD', help: 'cost limit in US dollars' },
  net: {
    takes: 'values',
    shows: 'PRESET',
    help: 'hosts the agent may reach beside its own model: npm, github, HOST, or full for all; repeatable',
  },
  allow: {
    takes: 'values',
    shows: 'PATH',
    help: 'let the task ask for this path beside its workspace, or for a whole home; repeatable',
  },
  worktree: { takes: 'nothing', help: 'work in a separate git worktree, not in your files' },
  review: { takes: 'nothing', help: 'wait for your review, even if every check passes' },
};

/** A task that another node is to run. */
export const REMOTE_FLAGS: Readonly<Record<string, FlagSpec>> = {
  on: {
    takes: 'values',
    shows: 'NODE|AGENT@NODE',
    help: 'have another node do it; of several the first to accept it does; repeatable',
  },
  needs: {
    takes: 'values',
    shows: 'CAPABILITY',
    help: 'have an agent of the federation do it that offers this; baton capability list shows them; repeatable',
  },
  deadline: { takes: 'value', shows: 'TIME', help: 'with --on or --needs: call it back after 900, 15m or 2h' },
};

/** The flags of a call that are about other nodes. */
export function receiverFlags(call: Call) {
  const [on = [], needs = []] = [flagTexts(call, 'on'), flagTexts(call, 'needs')];
  const deadline = flagText(call, 'deadline');
  const empty = [...on, ...needs].find((name) => name.trim() === '');
  if (empty !== undefined) throw new UsageError('--on, --needs: the name is empty', '--on laptop');
  if (deadline !== undefined && on.length + needs.length === 0)
    throw new UsageError('--deadline: only a task for another node has one', '--on laptop --deadline 2h');
  return {
    ...(on.length > 0 && { on }),
    ...(needs.length > 0 && { needs }),
    ...(deadline !== undefined && { deadlineSeconds: secondsOf(deadline, 'deadline') }),
  };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600 };

/** One word that names a task which is there; null for anything else. Words of a title are a new task. */
export function namedTask({ words }: Call): string | null {
  const [word = '', ...others] = words;
  return others.length === 0 && /^(TASK-\d{4}-\d{2}-\d{2}-\d{3}|tsk_\S+|\d{1,3}|@)$/i.test(word) ? word : null;
}

/** The agent, the checks and the limits of a call. */
export function boundFlagsOf(call: Call) {
  const timeout = flagText(call, 'timeout');
  const budget = flagText(call, 'budget');
  const retries = flagText(call, 'retries');
  const agent = flagText(call, 'agent');
  return {
    ...(agent !== undefined && { agent }),
    checks: checkFlags(call),
    ...(timeout !== undefined && { timeoutSeconds: secondsOf(timeout) }),
    ...(retries !== undefined && { retries: retriesOf(retries) }),
    ...(budget !== undefined && { budgetUsd: dollarsOf(budget) }),
  };
}

/** Reads the flags and words of a call; throws before anything is opened. */
export async function orderRequestOf(call: Call): Promise<OrderRequest> {
  const allow = flagTexts(call, 'allow');
  const flags = {
    ...boundFlagsOf(call),
    net: flagTexts(call, 'net') ?? [],
    ...(allow === undefined ? {} : { allow: allow.map((path) => resolve(path)) }),
    ...(call.flags.worktree ? { worktree: true } : {}),
    ...(call.flags.review ? { reviewRequired: true } : {}),
    ...receiverFlags(call),
  };
  const workspace = resolve(flagText(call, 'workspace') ?? '.');
  return { ...flags, workspace, text: await readOrderText(call), origin: 'CLI' };
}

export function checkFlags(call: Call): readonly string[] {
  const checks = flagTexts(call, 'check') ?? [];
  if (checks.some((check) => check.trim() === ''))
    throw new UsageError('--check: the command is empty', '--check "npm test"');
  return checks;
}

/** The seconds that a flag gives as 900, 15m or 2h. */
export function secondsOf(given: string, flag = 'timeout'): number {
  const [, number = '', unit = ''] = /^(\d{1,7})([smh]?)$/.exec(given) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new UsageError(`--${flag}: ${JSON.stringify(given)} is not a duration`, `--${flag} 900, 15m or 2h`);
}

export function retriesOf(given: string): number {
  if (/^\d{1,2}$/.test(given) && Number(given) <= RETRIES_ASKED_MAX) return Number(given);
  throw new UsageError(
    `--retries: ${JSON.stringify(given)} is not a number from 0 to ${RETRIES_ASKED_MAX}`,
    '--retries 2',
  );
}

export function dollarsOf(given: string): number {
  if (/^\$?\d{1,7}(\.\d{1,6})?$/.test(given)) return Number(given.replace('$', ''));
  throw new UsageError(`--budget: ${JSON.stringify(given)} is not an amount of money`, '--budget 2.50');
}

/** aop:detection: one word that looks like a file name is a file, anything else is the task in words. */
function isFileLike(word: string): boolean {
  return !/\s/.test(word) && (word.includes('/') || /.\.(?:json|md|txt)$/i.test(word));
}

const EXAMPLE = 'baton run "add tests for src/money.ts"';

/** The task: from a file, from standard input, or in words. */
async function readOrderText(call: Call): Promise<string> {
  const [word = '-', ...others] = call.words;
  if (others.length > 0) return notEmpty(call.words.join(' '), '');
  if (call.words.length === 0 && process.stdin.isTTY) throw noTask('');
  if (word === '-') return notEmpty(await textOrInput('-', NDJSON_LINE_BYTES_MAX), ': standard input is empty');
  return isFileLike(word) ? notEmpty(await readFileText(word), `: ${word} is empty`) : notEmpty(word, '');
}

function notEmpty(text: string, why: string): string {
  if (text.trim() === '') throw noTask(why);
  return text;
}

function noTask(why: string): UsageError {
  return new UsageError(`run: no task given${why}`, EXAMPLE);
}

/** The text of a file that the person named. */
export async function readFileText(file: string): Promise<string> {
  try {
    const bytes = await readBounded(openBytes(file), NDJSON_LINE_BYTES_MAX);
    if (bytes.length > NDJSON_LINE_BYTES_MAX) {
      throw new UsageError(`${file} is too long`, `at most ${NDJSON_LINE_BYTES_MAX} bytes`, 'E_CONTEXT_OVERFLOW');
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const hint =
      code === 'EISDIR'
        ? `${EXAMPLE} --workspace ${file}`
        : 'check the path: one word with a slash, or ending in .json, .md or .txt, is read as a file';
    throw new UsageError(`cannot read ${file}: ${whyUnreadable(code)}`, hint, 'unreadable_file');
  }
}
