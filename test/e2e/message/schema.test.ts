import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { linesOf, ROOT, runBaton } from '../../support/run-baton.ts';

interface ListedSchema {
  readonly protocol: string;
  readonly kind: string;
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

function compile(schema: object): (message: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv.compile(schema);
}

test('the list has all five protocols, each kind once, and none without a schema', async () => {
  const listed = linesOf<ListedSchema>(await runBaton(['schema', '--json']));
  assert.deepEqual([...new Set(listed.map((each) => each.protocol))], ['aop', 'afp', 'aof', 'saop', 'runtime']);
  assert.equal(new Set(listed.map(({ protocol, kind }) => `${protocol} ${kind}`)).size, listed.length);
  assert.ok(!listed.some(({ kind }) => kind === 'V1'), 'V1 is markdown');
  const human = await runBaton(['schema']);
  assert.match(human.stdout, /^aop {6}TASK\naop {6}RESPONSE\n/);
  assert.equal(human.stdout.trimEnd().split('\n').length, listed.length);
});

test('every schema of the list is printed, one line each with --json, and compiles', async () => {
  const listed = linesOf<ListedSchema>(await runBaton(['schema', '--json']));
  for (const protocol of new Set(listed.map((each) => each.protocol))) {
    const schemas = linesOf<{ $schema: string }>(await runBaton(['schema', protocol, '--json']));
    assert.equal(schemas.length, listed.filter((each) => each.protocol === protocol).length);
    for (const schema of schemas) {
      assert.equal(schema.$schema, DRAFT);
      compile(schema);
    }
  }
});

test('the schema of an AOP TASK takes the TASK of the document and refuses one without its objective', async () => {
  const human = await runBaton(['schema', 'aop', 'TASK']);
  assert.deepEqual([human.status, human.stderr], [0, '']);
  const json = await runBaton(['schema', 'aop', 'TASK', '--json']);
  assert.equal(json.stdout.split('\n').length, 2);
  assert.deepEqual(JSON.parse(human.stdout), JSON.parse(json.stdout));
  const validate = compile(JSON.parse(json.stdout));
  const message = JSON.parse(readFileSync(join(ROOT, 'test/corpus/aop/accepted/task-minimal.json'), 'utf8'));
  assert.ok(validate(message));
  assert.ok(!validate({ ...message, task: { ...message.task, objective: undefined } }));
});
