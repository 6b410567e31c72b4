import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Port } from './port.ts';

test('who asks for a part before it is made gets it as soon as it is connected, and later at once', async () => {
  const port = new Port<string>();
  const waiting = port.wait();
  assert.equal(port.now, null);
  port.connect('receiver');
  assert.equal(await waiting, 'receiver');
  assert.equal(port.now, 'receiver');
  assert.equal(await port.wait(), 'receiver');
});
