import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import { programOf } from '../../support/fixture-agents.ts';
import { linesOf } from '../../support/run-baton.ts';
import { type OrderRun, orderRun, RunStage, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('logs');
const PLAYER = programOf('plays-claude');

/** A run of two attempts by a program that prints what Claude Code prints. */
async function played(): Promise<OrderRun> {
  const agent = `{ driver: claude, command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(PLAYER)}] }`;
  await stage.data.run(['config', 'set', 'agents.player', agent]);
  const { root } = stage.repository();
  const flags = [
    '--agent',
    'player',
    '--workspace',
    root,
    '--check',
    'test -f ok.txt',
    '--retries',
    '1',
    '--yes',
    '--json',
  ];
  return orderRun(await stage.data.run(['run', 'make it work', ...flags]));
}

interface Entry {
  readonly kind: string;
  readonly at: string | null;
  readonly run: string;
  readonly text: string;
  readonly [field: string]: unknown;
}

describe('the log of a vendor agent', { skip: noBubblewrap }, async () => {
  const { exit, own } = noBubblewrap ? { exit: 0, own: { task: '' } } : await played();

  test('is a story: thoughts, tools with their results, words, retries and output, attempt by attempt', async () => {
    assert.equal(exit, 0);
    const { stdout } = await stage.data.run(['logs', own.task]);
    const attempt = (number: number) =>
      [
        `--- run_\\w+ player {2}\\(attempt ${number}, [^)]* ago\\)`,
        ' {3}0:\\d\\d {2}session {2}s-1, opus, 2\\.1\\.325',
        ' {3}0:\\d\\d {2}thinks {2}The tests come first\\.\n {17}Then the code\\.',
        ' {3}0:\\d\\d {2}Bash {2}npm test',
        ' {3}0:\\d\\d {4}✗ exit 2, [\\d.]+ s\n {13}Exit code 2\n {13}1 failing',
        ' {3}0:\\d\\d {2}retry {3}its model did not answer, try 1: overloaded \\(HTTP 529\\)',
        ' {3}0:\\d\\d {2}says {4}It works now\\.',
        'not an event',
      ].join('\n');
    assert.match(stdout, new RegExp(`^${attempt(1)}\n${attempt(2)}\n$`));
  });

  test('is one step a line for programs', async () => {
    const entries = linesOf<Entry>(await stage.data.run(['logs', own.task, '--json']));
    const kinds = ['run', 'session', 'thought', 'tool', 'result', 'retry', 'words', 'output'];
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      [...kinds, ...kinds],
    );
    assert.ok(entries.every(({ at, run }) => at !== null && run.startsWith('run_')));
    const { text, name, exitCode, isSuccess } = entries[4] ?? ({} as Entry);
    assert.deepEqual([text, name, exitCode, isSuccess], ['Exit code 2\n\u001b[31m1 failing', 'Bash', 2, false]);
  });

  test('has the lines of the program, byte for byte, with --raw', async () => {
    const { stdout } = await stage.data.run(['logs', own.task, '--raw']);
    const lines = stdout.split('\n');
    assert.equal(lines.length, 2 * 8 + 1);
    assert.deepEqual(JSON.parse(lines[3] ?? '').message.content[0].content, 'Exit code 2\n\u001b[31m1 failing');
    assert.equal(lines[6], 'not an event');
  });
});

describe('the trace of a vendor agent', { skip: noBubblewrap }, () => {
  test('is turns and events of SAOP that baton check accepts, and events of the ledger name them', async () => {
    const { own } = await played();
    const database = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true });
    const rows = database
      .prepare('SELECT run_id, turn_index, event_id, envelope_json FROM agent_logs WHERE task_id = ? ORDER BY seq')
      .all(own.task);
    database.close();
    const lines = rows.map((row) => String(row['envelope_json']));
    const kinds = lines.map((line) => JSON.parse(line)).map(({ payload }) => payload?.type ?? 'turn');
    const first = ['THOUGHT_STREAM', 'TOOL_LIFECYCLE_INVOKED', 'THOUGHT_STREAM', 'turn', 'TOOL_LIFECYCLE_COMPLETED'];
    const attempt = [...first, 'SANDBOX_PULSE', 'THOUGHT_STREAM', 'turn'];
    assert.deepEqual(kinds, [...attempt, ...attempt]);
    const file = join(stage.data.path, '..', 'trace.ndjson');
    writeFileSync(file, `${lines.join('\n')}\n`);
    assert.equal((await stage.data.run(['check', file, '--as', 'saop'])).status, 0);
    const events = linesOf<{ type: string }>(await stage.data.run(['events', '--task', own.task, '--json']));
    assert.equal(events.filter(({ type }) => /^(turn|trace)\./.test(type)).length, lines.length);
  });
});

describe('the activity of a run', { skip: noBubblewrap }, () => {
  test('is told with its age by status, task show, HTTP and the run itself, and is gone with the run', async () => {
    const { root } = stage.repository();
    const flags = ['--agent', 'demo', '--workspace', root, '--check', 'true'];
    const run = stage.data.run(['run', '@demo say hello\n@demo sleep 8000', ...flags]);
    let task = '';
    await until(async () => {
      const { running } = JSON.parse((await stage.data.run(['status', '--json'])).stdout) as StatusAnswer;
      const found = running.find(({ run }) => run?.activity?.kind === 'working');
      task = found?.id ?? '';
      return found !== undefined;
    });
    assert.match((await stage.data.run(['status'])).stdout, /^ +working for [\d.]+ s$/m);
    assert.match((await stage.data.run(['task', 'show', task])).stdout, /running .* working for [\d.]+ s/);
    const { stdout } = await run;
    assert.match(stdout, /^ +· working for \d+ s$/m);
    const { runs } = JSON.parse((await stage.data.run(['task', 'show', task, '--json'])).stdout);
    assert.equal(runs.at(-1).activity, null);
  });
});
