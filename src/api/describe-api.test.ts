import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { TestDoor } from '../../test/support/test-door.ts';
import { CALL_NAMES, factsOf } from './calls.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

test('the node serves an OpenAPI 3.1 document that a validator of others accepts, with every call in it', async () => {
  const door = await TestDoor.open();
  const { status, body } = await door.get('/v1/openapi.json');
  assert.equal(status, 200);
  const { valid, errors } = await new Validator().validate(structuredClone(body) as Record<string, unknown>);
  assert.ok(valid, JSON.stringify(errors));
  const { openapi, paths } = body as unknown as Document;
  assert.equal(openapi, '3.1.0');
  for (const name of CALL_NAMES) {
    const { path, method } = factsOf(name);
    assert.ok(paths[path]?.[method.toLowerCase()], `${name}: ${method} ${path}`);
  }
});
