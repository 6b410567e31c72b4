import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FolderFault } from '../../platform/files/data-folder.ts';
import { systemTimer } from '../../platform/timer.ts';
import { holdFolder } from './folder-holder.ts';

const SELF = import.meta.url;

/** A process that holds a folder and is announced as its node. It gives every request this status, and prints so. */
async function nodeThatAnswers(status: number): Promise<{ readonly folder: string; readonly child: ChildProcess }> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-holder-'));
  const program = `
    const { createServer } = await import('node:http');
    const { join } = await import('node:path');
    const { tryFolderLock } = await import(${JSON.stringify(new URL('../../platform/files/folder-lock.ts', SELF).href)});
    const { writeNodeFile } = await import(${JSON.stringify(new URL('../../platform/files/node-file.ts', SELF).href)});
    globalThis.lock = tryFolderLock(join(${JSON.stringify(folder)}, 'lock.sqlite'));
    const server = createServer((_, response) =>
      response.writeHead(${status}).end(() => process.stdout.write('answered')));
    server.listen(0, '127.0.0.1', () => {
      const url = 'http://127.0.0.1:' + server.address().port;
      writeNodeFile(${JSON.stringify(folder)}, { url, token: 'x'.repeat(43) });
      process.stdout.write('ready');
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { folder, child };
}

test('a node that answers keeps its folder', async () => {
  const { folder, child } = await nodeThatAnswers(200);
  await assert.rejects(
    holdFolder(folder, systemTimer()),
    (error) =>
      error instanceof FolderFault && error.message.startsWith(`${folder} has a node already: process ${child.pid}`),
  );
});

test('the folder of a node that is stopping is taken as soon as it has stopped', async () => {
  const { folder, child } = await nodeThatAnswers(503);
  const held = holdFolder(folder, systemTimer());
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  // It has been asked again by then, or the lock is refused already.
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), held]);
  child.kill('SIGKILL');
  (await held).release();
});
