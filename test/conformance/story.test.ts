import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoryItem, StoryTurn } from '../../src/api/trace/story-contract.ts';
import { insertEvent, type NewEvent } from '../../src/ledger/statements/events.ts';
import { recordOutput } from '../../src/trace/record-output.ts';
import { pick, randomOf, SEED } from '../support/seed.ts';
import { taken } from '../support/taken.ts';
import { chunkText, completedText, invokedText, turnText } from '../support/trace/saop-messages.ts';
import { TracedRuns } from '../support/trace/traced-runs.ts';

const runs = await TracedRuns.open();
const { server } = runs;
const { local: client } = server;
const { ledger } = server.tree.life.at;
type Claimed = Awaited<ReturnType<typeof runs.claimed>>;

async function note({ id, run }: Claimed, type: NewEvent['type'], payload: NewEvent['payload'] = {}): Promise<void> {
  const event = { type, actor: 'swe', taskId: id, runId: run.id, payload } as NewEvent;
  await ledger.submit((tx) => ({ event: insertEvent(tx, event) }), null);
}

async function print({ id, run }: Claimed, ...lines: readonly string[]): Promise<void> {
  const printed = lines.map((text) => ({ text, isMasked: false, at: 0 }));
  await ledger.submit(recordOutput, { taskId: id, runId: run.id, lines: printed });
}

async function pageOf(task: string, place: object = {}) {
  return taken(await client.readStory({ task, ...place }));
}

/** The story as a page keeps it that reads part after part. */
class Kept {
  readonly #items = new Map<number, StoryItem>();

  add(items: readonly StoryItem[]): void {
    for (const item of items) {
      const known = this.#items.get(item.id);
      if (!known || known.changed <= item.changed) this.#items.set(item.id, item);
    }
  }

  get items(): readonly StoryItem[] {
    return [...this.#items.values()].sort((one, other) => one.id - other.id);
  }
}

async function walk(task: string, order: 'oldest' | 'newest', limit: number): Promise<readonly StoryItem[]> {
  const kept = new Kept();
  for (let place: object | null = {}; place !== null; ) {
    const page = await pageOf(task, { order, limit, ...place });
    kept.add(page.items);
    const next = order === 'oldest' ? { after: page.last } : { before: page.first };
    place = page.hasMore ? next : null;
  }
  return kept.items;
}

function turnsOf(items: readonly StoryItem[]): readonly StoryTurn[] {
  return items.filter((item) => item.kind === 'turn');
}

describe('the story of a task', () => {
  test('has a turn with its thought, its calls, their results and the files that it changed', async () => {
    const traced = await runs.claimed();
    const call = { call: 'c1', tool: 'shell' };
    await traced.told(chunkText(0, 'first '), invokedText('c1'));
    await note(traced, 'run.tool_started', { ...call, input: '{"command":"ls"}' });
    await print(traced, 'one', 'two');
    await note(traced, 'run.tool_ended', { ...call, isSuccess: true, exitCode: 0, result: 'a.ts' });
    await traced.told(completedText('c1'), turnText(traced.id, 0, { thought: 'first this' }));
    await note(traced, 'workspace.recorded', { turnIndex: 0, paths: ['a.ts'] });
    const { items, hasMore } = await pageOf(traced.id);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['line', 'attempt', 'turn', 'output'],
    );
    const [turn] = turnsOf(items);
    assert.deepEqual([turn?.index, turn?.thought, turn?.files, hasMore], [0, 'first this', ['a.ts'], false]);
    assert.deepEqual(
      turn?.steps.map((step) => [step.call, step.isSuccess, step.exitCode, step.result]),
      [['c1', true, 0, 'a.ts']],
    );
  });

  test('names each item whole that changes in a part, wherever it begins', async () => {
    const traced = await runs.claimed();
    await note(traced, 'question.asked', { question: 'qst_1', what: 'run npm i', options: ['yes', 'no'] });
    await note(traced, 'run.tool_started', { call: 'late', tool: 'shell', input: '{}' });
    await traced.told(turnText(traced.id, 0));
    await print(traced, ...Array.from({ length: 40 }, (_, at) => `line ${at}`));
    const { last } = await pageOf(traced.id);
    await note(traced, 'run.tool_ended', { call: 'late', isSuccess: true, result: 'at last' });
    const { items } = await pageOf(traced.id, { after: last });
    assert.deepEqual(
      turnsOf(items).map(({ index, steps }) => [index, steps[0]?.result]),
      [[0, 'at last']],
    );
    assert.equal(items.length, 1, 'what did not change is not sent again');
    const answered = await pageOf(traced.id);
    await note(traced, 'question.answered', { question: 'qst_1', answer: 'yes' });
    const [question] = (await pageOf(traced.id, { after: answered.last })).items;
    assert.ok(question?.kind === 'question' && question.answer?.option === 'yes');
  });

  test('counts attempts from the first, also in a part that begins later', async () => {
    const { id, end, ...first } = await runs.claimed();
    await note({ id, end, ...first }, 'run.thought', { text: 'one' });
    await end();
    const { run } = taken(await client.claimTask({ task: id, agent: 'swe' }));
    await note({ id, end, ...first, run }, 'run.thought', { text: 'two' });
    const { items, last } = await pageOf(id);
    assert.deepEqual(
      items.flatMap((item) => (item.kind === 'attempt' ? [item.number] : [])),
      [1, 2],
    );
    const part = await pageOf(id, { order: 'newest', limit: 1 });
    assert.deepEqual(
      part.items,
      items.filter(({ changed }) => changed === last),
    );
    assert.equal(turnsOf(part.items)[0]?.run, run.id);
  });

  test('is the same in parts of any size, from both ends', async () => {
    const random = randomOf(SEED, 0);
    const traced = await runs.claimed();
    const open: string[] = [];
    let [turn, calls] = [0, 0];
    const steps: readonly (() => Promise<void>)[] = [
      () => note(traced, 'run.thought', { text: `thought ${random(100)}` }),
      () => note(traced, 'run.spoke', { text: 'words' }),
      () => traced.told(chunkText(turn, 'chunk ')),
      () => print(traced, 'printed'),
      () => note(traced, 'run.warned', { message: 'careful' }),
      async () => {
        const call = `c${++calls}`;
        open.push(call);
        await note(traced, 'run.tool_started', { call, tool: 'shell', input: '{}' });
        await traced.told(invokedText(call));
      },
      async () => {
        const call = open.splice(random(Math.max(1, open.length)), 1)[0];
        if (call === undefined) return;
        await note(traced, 'run.tool_ended', { call, isSuccess: true, result: `of ${call}` });
        await traced.told(completedText(call));
      },
      () => traced.told(turnText(traced.id, turn++)),
      () => note(traced, 'workspace.recorded', { turnIndex: random(Math.max(1, turn)), paths: [`${random(100)}.ts`] }),
      () => note(traced, 'run.verified', { results: [{ id: 'npm test', result: 'passed' }] }),
    ];
    for (let at = 0; at < 120; at++) await pick(steps, random)();
    const whole = await walk(traced.id, 'oldest', 1_000);
    assert.ok(turnsOf(whole).length > 3);
    for (const order of ['oldest', 'newest'] as const) {
      for (const limit of [1, 2, 3, 7, 50]) {
        assert.deepEqual(await walk(traced.id, order, limit), whole, `${order} by ${limit}`);
      }
    }
  });
});
