import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgedResult } from '../../../test/support/remote/forged-result.ts';
import { HostileResults } from '../../../test/support/remote/hostile-results.ts';
import { taken } from '../../../test/support/taken.ts';

const hostile = await HostileResults.open();
const { stage, stranger, journey, other, forged } = hostile;
const { client } = stage.sender.node;

test('the result of another task is refused, also with its receipt and record', async () => {
  await hostile.assertRefused(other.result, /other work/);
  const theirs = new ForgedResult(stage, other);
  await hostile.assertRefused(
    theirs.made((parts) => Object.assign(parts, { fields: { about: journey.result.about } })),
    /other work|missing/,
  );
  const stolen = forged.made((parts) => Object.assign(parts, { receipt: theirs.parts.receipt }));
  await hostile.assertRefused(stolen, /receipt is about/);
});

test('a parcel that this task was not sent in, and a node that did not sign, are refused', async () => {
  await hostile.assertRefused(journey.result, /was not sent in this parcel/, { sent: other.sent });
  await hostile.assertRefused(journey.result, /another key/, { publicKey: stranger.publicKey });
  await hostile.assertRefused({ ...journey.result, blobs: [] }, /blobs/);
  await hostile.assertRefused('x', /JSON object/);
});

test('a blob with other bytes, and one that is gone, are waited for', async () => {
  const [first] = journey.result.blobs;
  const bytes = stage.blobs.stored.get(first?.sha256 ?? '') ?? Buffer.alloc(0);
  for (const wrong of [Buffer.from('other'), null]) {
    if (wrong) stage.blobs.stored.set(first?.sha256 ?? '', wrong);
    else stage.blobs.stored.delete(first?.sha256 ?? '');
    await hostile.assertRefused(journey.result, /parts of the parcel are not there/);
  }
  stage.blobs.stored.set(first?.sha256 ?? '', bytes);
});

test('messages that are none, of runs that are none, and a log of somebody else do no harm', async () => {
  const journeyTo = await hostile.travel();
  const harmless = new ForgedResult(stage, journeyTo);
  const run = harmless.parts.record.run;
  const turn = (index: number) =>
    JSON.stringify({
      ...{ turn_index: index, agent_id: 'developer', role: 'developer' },
      content: { thought: 'ok', action: 'x', observation: 'y' },
      metadata: {
        version: '1.0.0',
        task_id: 'T',
        timestamp: '2026-01-01T00:00:00Z',
        confidence: 1,
        estimated_complexity: 'low',
      },
    });
  const message = (text: string, of = run) => ({ kind: 'message', run: of, message: text, lines: [] }) as const;
  const log = [
    '\u001e{"kind":"weird","text":5}',
    '\u001e{"kind":"run","id":"run_x","name":{"a":1}}',
    '\u001enot json',
    '\u001b[2Jescape',
    `\u001e{"kind":"run","id":"${run}","name":"there"}`,
    'the end',
  ].join('\n');
  const result = harmless.made((parts) => {
    const steps = [
      message('garbage'),
      message('{"a":1}'),
      message(turn(0)),
      message(turn(0)),
      message(turn(1), 'run_unknown'),
    ];
    Object.assign(parts, { record: { ...parts.record, steps }, log: Buffer.from(log) });
  });
  const imported = taken(await stage.import({ ...journeyTo, result }));
  assert.ok(imported.isNew);
  const { entries } = taken(await client.readTrace({ task: journeyTo.task }));
  assert.equal(entries.filter(({ type }) => type === 'TURN').length, 1);
  const page = taken(await client.readLog({ task: journeyTo.task }));
  assert.match(page.text, /the end/);
  assert.deepEqual(
    page.entries.filter(({ kind }) => kind === 'run').map(({ name }) => name),
    ['emma@tower'],
  );
});

test('after all of that the result itself is taken in', async () => {
  assert.ok(taken(await stage.import(journey)).isNew);
});
