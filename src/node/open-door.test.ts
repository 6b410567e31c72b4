import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DoorOnDemand, type OpenDoor } from './open-door.ts';

/** A door that opens when the test says so. */
function slowDoor() {
  const log: string[] = [];
  const opened = Promise.withResolvers<void>();
  const door = new DoorOnDemand(async () => {
    log.push('opens');
    await opened.promise;
    const agents = { url: 'http://127.0.0.1:1', port: 1, admit: () => '', release: () => undefined };
    const link = () => ({ id: '', url: '', expiresAt: '' });
    return { agents, file: {} as OpenDoor['file'], link, close: async () => void log.push('closes') };
  });
  return { door, log, let: opened };
}

test('a door opens once, whoever asks', async () => {
  const { door, log, let: opened } = slowDoor();
  const asked = [door.open(), door.open()];
  assert.equal(door.agents, null);
  opened.resolve();
  const [one, two] = await Promise.all(asked);
  assert.equal(one, two);
  assert.equal(door.agents, one?.agents);
  assert.deepEqual(log, ['opens']);
});

test('a door that is closed while it opens is closed once it is open', async () => {
  const { door, log, let: opened } = slowDoor();
  const asked = door.open();
  const closed = door.close();
  opened.resolve();
  await Promise.all([asked, closed]);
  assert.deepEqual(log, ['opens', 'closes']);
});

test('a node that shuts down opens no door', async () => {
  const { door, log } = slowDoor();
  await door.close();
  await assert.rejects(door.open(), /shutting down/);
  assert.deepEqual(log, []);
});

test('a door that could not be opened is told to everybody who asks, and closes without an error', async () => {
  const { door, let: opened } = slowDoor();
  const asked = door.open();
  opened.reject(new Error('no port'));
  await assert.rejects(asked, /no port/);
  await assert.rejects(door.open(), /no port/);
  await door.close();
});
