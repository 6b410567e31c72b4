import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Script } from 'node:vm';
import { type Attack, attacksOn } from '../house/attack-texts.ts';
import { allExpressions, type Expression } from '../house/expressions.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const CHARACTERS = 32 * 1_024;
/** Linear work on so little text takes a millisecond, work of its square fifty or more. */
const FREE_MS = 15;
const STOPPED_MS = 2_000;
const DOUBLINGS = 2;
/** Four times the text may take this much longer: between 4, which is linear, and 16. */
const GROWTH_MAX = 8;
const ROUNDS = 3;

const globals = globalThis as { attack?: () => unknown };
/** Compiled code that can be stopped: an expression that backtracks may run for hours. */
const attack = new Script('attack()');

function timeOf({ source, flags }: Expression, { before, part, after }: Attack, characters: number): number {
  const expression = new RegExp(source, flags);
  const text = before + part.repeat(Math.ceil(characters / part.length)) + after;
  globals.attack = () => (flags.includes('g') ? text.replace(expression, '') : expression.test(text));
  try {
    return cpuMsOf(() => attack.runInThisContext({ timeout: STOPPED_MS }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return Number.POSITIVE_INFINITY;
  }
}

/** The compiler and the collector make one run slow, not the best of three. */
function bestTimeOf(expression: Expression, text: Attack, characters: number): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => timeOf(expression, text, characters)));
}

/** Null where the time grows with the length of the text. */
function complaint(expression: Expression, text: Attack): string | null {
  if (timeOf(expression, text, CHARACTERS) < FREE_MS) return null;
  const short = bestTimeOf(expression, text, CHARACTERS);
  if (short < FREE_MS) return null;
  const long = bestTimeOf(expression, text, CHARACTERS * 2 ** DOUBLINGS);
  if (long / short < GROWTH_MAX) return null;
  const { file, line, source, flags } = expression;
  return `${file}:${line}: /${source}/${flags} took ${short.toFixed(0)} ms and then ${long.toFixed(0)} ms for ${JSON.stringify(text)}`;
}

function complaints(expressions: readonly Expression[]): readonly string[] {
  return expressions.flatMap((expression) => {
    for (const text of attacksOn(expression)) {
      const found = complaint(expression, text);
      if (found !== null) return [found];
    }
    return [];
  });
}

/** Without these a match is short. */
const repeating = allExpressions().filter(({ source }) => /[*+]|,\}|\{\d*\d{3}/.test(source));
const unique = new Map(repeating.map((expression) => [`/${expression.source}/${expression.flags}`, expression]));
const byRoom = Map.groupBy(unique.values(), ({ file }) => file.split('/').slice(0, 2).join('/'));

describe('text that doubles in size takes every expression twice as long', () => {
  for (const [room, expressions] of byRoom) test(room, () => assert.deepEqual(complaints(expressions), []));

  test('one that takes four times as long is found, also where it is the search that starts anew', () => {
    const planted = ['\\/+$', '^(?:a|a)*$', 'error: .*done', '\\s*\\n\\s*'];
    const found = complaints(planted.map((source) => ({ file: source, line: 1, source, flags: 'g' })));
    assert.equal(found.length, planted.length, found.join('\n'));
  });
});
