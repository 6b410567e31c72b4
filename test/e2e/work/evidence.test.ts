import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { output, RunStage, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';

const stage = await RunStage.up('evidence');
const client = stage.daemon?.client ?? assert.fail();

async function ran() {
  const repository = stage.repository();
  const order = taskFor('completes', repository.root, {
    task: {
      expected_outputs: [
        output('a.txt'),
        output('b.txt', { validation: { command: 'cat b.txt', expects: 'EXIT_CODE_0' } }),
      ],
    },
  });
  const { own } = await stage.run(order);
  return { repository, task: own.task };
}

test('evidence has the checks before and after with their output, the attempts and the receipt', async () => {
  const { repository, task } = await ran();
  const evidence = taken(await client.readEvidence({ task }));
  assert.equal(evidence.attempts.length, 1);
  const [attempt] = evidence.attempts;
  assert.deepEqual([attempt?.agent, attempt?.end], ['completes', 'finished']);
  assert.ok((attempt?.changed ?? 0) >= 2);
  assert.ok(attempt?.checks.some(({ result, durationMs }) => result === 'passed' && durationMs >= 0));
  assert.equal(evidence.receipt?.verdict, 'valid');
  assert.equal(evidence.receipt?.isOwnKey, true);
  assert.equal(evidence.receipt?.content?.task, task);

  writeFileSync(`${repository.root}/a.txt`, 'changed since');
  const stale = taken(await client.readEvidence({ task })).receipt;
  assert.deepEqual([stale?.verdict, stale?.staleFiles], ['stale', ['a.txt']]);

  const file = stale?.file ?? '';
  writeFileSync(file, readFileSync(file, 'utf8').replace('"completes"', '"somebody"'));
  const broken = taken(await client.readEvidence({ task })).receipt;
  assert.deepEqual([broken?.verdict, broken?.content], ['broken', null]);
  assert.ok(broken?.reason);
});

test('a diff is listed without text, and read file by file', async () => {
  const { task } = await ran();
  const all = taken(await client.diffWork({ task }));
  const list = taken(await client.diffWork({ task, list: true }));
  assert.deepEqual(list.files, all.files);
  assert.equal(list.text, '');
  for (const [at, { path }] of list.files.entries()) {
    const { text } = taken(await client.diffWork({ task, file: at }));
    assert.equal(text.match(/^diff --git /gm)?.length, 1);
    assert.ok(text.includes(path) && all.text.includes(text.split('\n').at(-2) ?? '?'), path);
  }
  assert.equal(taken(await client.diffWork({ task, file: 99 })).text, '');
});
