import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolveCommand } from './resolve-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'resolve-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves a script with this text: `found`, or the reason why it cannot start. */
function resolved(text: string, path = '/usr/bin:/bin'): string {
  const file = join(folder, 'agent');
  writeFileSync(file, text, { mode: 0o755 });
  const found = resolveCommand({ argv: [file], cwd: folder, env: { PATH: path } });
  if (found.kind === 'found') return 'found';
  assert.deepEqual([found.isMissing, found.isPresent], [true, true]);
  return found.reason.replace(`${file} cannot start: `, '');
}

const SCRIPTS: readonly (readonly [text: string, want: string])[] = [
  ['#!/bin/sh\necho', 'found'],
  ['#! /bin/sh -e\necho', 'found'],
  ['#!/usr/bin/env sh\necho', 'found'],
  ['#!/usr/bin/env -S sh -e\necho', 'found'],
  ['no first line of a script', 'found'],
  ['#!relative/sh\n', 'found'],
  ['#!/usr/bin/env -u HOME no-such-program\n', 'found'],
  ['#!/usr/bin/env A=1 no-such-program\n', 'found'],
  ['\u007fELF\u0000#!/no/such', 'found'],
  ['#!/no/such/interpreter\n', 'its interpreter /no/such/interpreter was not found'],
  ['#!/usr/bin/env no-such-program\n', 'its interpreter no-such-program was not found on the PATH'],
  ['#!/usr/bin/env -S no-such-program --fast\n', 'its interpreter no-such-program was not found on the PATH'],
  ['#!/bin/sh\r\necho', 'its first line ends with a carriage return (CRLF), so no interpreter is found'],
];

for (const [text, want] of SCRIPTS) {
  test(`${JSON.stringify(text)}: ${want}`, () => assert.equal(resolved(text), want));
}

test('an interpreter is searched on the PATH of the process, not of Baton', () => {
  assert.equal(resolved('#!/usr/bin/env sh\n', '/nowhere'), 'its interpreter sh was not found on the PATH');
});
