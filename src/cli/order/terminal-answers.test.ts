import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventView } from '../../api/contract.ts';
import { TerminalAnswers } from './terminal-answers.ts';

function event(type: string, payload: Record<string, unknown>): EventView {
  const about = { timestamp: '', actor: 'emma', taskId: 'TASK-1', runId: 'run_1', sessionId: null };
  return { eventId: 1, type, ...about, payload };
}

const asked = (question: string, options = ['yes', 'no']) =>
  event('question.asked', { question, options, default: 'no', deadlineAt: null });
const answered = (question: string) => event('question.answered', { question });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A terminal where somebody types what `type` is given. */
function terminal() {
  const prompts: string[] = [];
  const answers: string[] = [];
  let interrupts = 0;
  let typed: (line: string | null) => void = () => {};
  const at = new TerminalAnswers({
    ask: (prompt, signal) => {
      prompts.push(prompt);
      return new Promise((resolve) => {
        typed = resolve;
        signal.addEventListener('abort', () => resolve(null));
      });
    },
    client: {
      answerQuestion: async ({ task, answer, from }) => {
        answers.push(`${task} ${answer} ${from}`);
        at.take(answered(task));
        return { kind: 'refusal' } as never;
      },
    },
    settle: async () => {},
    onInterrupt: () => interrupts++,
  });
  const type = async (line: string | null) => {
    typed(line);
    await turn();
  };
  return { at, prompts, answers, type, interrupts: () => interrupts };
}

test('only a clear yes is a yes', async () => {
  for (const [line, answer] of Object.entries({ y: 'yes', 'YES ': 'yes', n: 'no', '': 'no', yo: 'no', sure: 'no' })) {
    const { at, answers, type, prompts } = terminal();
    at.take(asked('q1'));
    await turn();
    assert.deepEqual(prompts, ['answer yes or no (no): ']);
    await type(line);
    assert.deepEqual(answers, [`q1 ${answer} terminal`], line);
  }
});

test('questions are asked one after the other, and one that was answered elsewhere is asked no more', async () => {
  const { at, answers, type, prompts, interrupts } = terminal();
  for (const question of ['q1', 'q2', 'q3']) at.take(asked(question));
  await turn();
  assert.equal(prompts.length, 1);
  at.take(answered('q2'));
  at.take(answered('q1'));
  await turn();
  assert.deepEqual([prompts.length, answers], [2, []]);
  await type('y');
  assert.deepEqual([answers, interrupts()], [['q3 yes terminal'], 0]);
});

test('Ctrl-C at the prompt stops the run and answers nothing', async () => {
  const { at, answers, type, interrupts } = terminal();
  at.take(asked('q1'));
  await turn();
  await type(null);
  assert.deepEqual([answers, interrupts()], [[], 1]);
});
