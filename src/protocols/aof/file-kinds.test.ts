import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aofKindOfFile } from './file-kinds.ts';

const CASES: readonly [string, string | null][] = [
  ['run.json', 'run'],
  ['runs/TASK-2026-02-09-057/run_heartbeat.json', 'run_heartbeat'],
  ['runs\\TASK-2026-02-09-057\\run_result.json', 'run_result'],
  ['inputs/handoff.json', 'handoff'],
  ['tasks/ready/TASK-2026-02-09-057.md', 'task'],
  ['events/2026-02-09.jsonl', 'event'],
  ['TASK-2026-02-09-057.rejected.md', null],
  ['TASK-2026-02-09-57.md', null],
  ['Run.json', null],
  ['xrun.json', null],
  ['2026-02-09.ndjson', null],
  ['run.json/', null],
  ['', null],
];

test('a file without a marker is known by its name, whatever folder it lies in', () => {
  for (const [name, kind] of CASES) assert.equal(aofKindOfFile(name), kind, name);
});
