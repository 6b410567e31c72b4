import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { TestServer } from '../../test/support/node/test-server.ts';
import { CALL_NAMES, specOf } from './calls.ts';
import { describeApi } from './describe-api.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

test('the node serves an OpenAPI 3.1 document that a validator of others accepts, with every call in it', async () => {
  const server = await TestServer.open();
  const { status, body } = await server.get('/v1/openapi.json');
  assert.equal(status, 200);
  const { valid, errors } = await new Validator().validate(structuredClone(body) as Record<string, unknown>);
  assert.ok(valid, JSON.stringify(errors));
  const { openapi, paths } = body as unknown as Document;
  assert.equal(openapi, '3.1.0');
  for (const name of CALL_NAMES) {
    const { path, method } = specOf(name);
    assert.ok(paths[path]?.[method.toLowerCase()], `${name}: ${method} ${path}`);
  }
});

test('a parameter that takes more than its name says is described', () => {
  const { paths } = describeApi() as {
    paths: Record<string, Record<string, { parameters: Record<string, unknown>[] }>>;
  };
  const about = (path: string) => paths[path]?.post?.parameters.find(({ name }) => name === 'task')?.description;
  assert.match(String(about('/v1/tasks/{task}/answer')), /or the id of a question/);
  for (const verb of ['approve', 'return'])
    assert.match(String(about(`/v1/tasks/{task}/${verb}`)), /or the id of its entry in the attention queue/);
});

test('answers to messages, and of the paths without a token, have the shapes that the document declares', async () => {
  const server = await TestServer.open();
  const document = (await server.get('/v1/openapi.json')).body;
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'api');
  const fits = (path: string, method: string, { status, body }: { status: number; body: unknown }) => {
    const parts = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
    const pointer = parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const validate = ajv.compile({ $ref: `api#/${pointer}` });
    assert.ok(validate(body), `${path} ${status}: ${JSON.stringify(validate.errors)}`);
    return status;
  };
  const send = async (text: string, type = 'application/json') =>
    fits('/v1/messages', 'post', await server.post('/v1/messages', text, { 'content-type': type }));
  const update = {
    protocol: 'aof',
    version: 1,
    type: 'status.update',
    taskId: 'TASK-2020-01-01-001',
    fromAgent: 'emma',
  };
  const payload = { taskId: update.taskId, agentId: 'emma', progress: 'half' };
  const message = { ...update, toAgent: 'dispatcher', sentAt: '2026-02-09T21:00:00.000Z', payload };
  assert.equal(await send('{"what":"ever"}'), 415);
  assert.equal(await send('x', 'text/csv'), 415);
  assert.equal(await send('{"what":'), 422);
  assert.equal(await send(JSON.stringify(message)), 409);
  for (const path of ['/healthz', '/readyz']) assert.equal(fits(path, 'get', await server.get(path)), 200);
});

test('a page of runs after a run that does not exist is refused', async () => {
  const server = await TestServer.open({ isTreeless: true });
  assert.equal((await server.get('/v1/runs?after=zzz')).status, 422);
});
