import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { aLaunch } from '../../../../test/support/agent/a-launch.ts';
import { scratchFolder } from '../../../../test/support/test-process.ts';
import type { AgentDriver, Launch } from '../../agent-driver.ts';
import { codexDriver } from '../codex/codex-driver.ts';
import { geminiDriver } from '../gemini/gemini-driver.ts';

const scratch = scratchFolder();

function aHome(files: Readonly<Record<string, readonly object[]>>): string {
  const home = mkdtempSync(join(scratch, 'home-'));
  for (const [path, lines] of Object.entries(files)) {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"cut": "token_count`);
  }
  return home;
}

/** The tokens that a run counts which says these lines and ends. */
function counted(driver: AgentDriver, home: string, events: readonly object[], changes: Partial<Launch> = {}) {
  const talk = driver.converse({ ...aLaunch({ variables: { HOME: home } }), ...changes });
  const lines = events.map((event) => ({ stream: 'stdout', text: JSON.stringify(event), isTruncated: false }) as const);
  const heard = lines.flatMap((line) => talk.hear({ kind: 'line', line }).signals);
  return [...heard, ...talk.end()].flatMap((each) =>
    each.kind === 'usage' ? [[each.tokensInput, each.tokensOutput, each.tokensCached]] : [],
  );
}

const usage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cached_input_tokens: 4,
});
const count = (input: number, output: number) => ({
  type: 'event_msg',
  payload: { type: 'token_count', info: { total_token_usage: usage(input, output) } },
});
const ROLLOUT = '.codex/sessions/2026/11/18/rollout-2026-11-18T07-34-18-th-1.jsonl';
const STARTED = { type: 'thread.started', thread_id: 'th-1' };
const FAILED = { type: 'turn.failed', error: { message: 'stream disconnected' } };

test('a run of Codex that failed has the tokens of its session file; one that reports them has those', () => {
  const home = aHome({
    [ROLLOUT]: [count(120, 24), { type: 'event_msg', payload: { type: 'token_count' } }, count(240, 48)],
  });
  assert.deepEqual(counted(codexDriver, home, [STARTED, FAILED]), [[240, 48, 4]]);
  const spentInSession = { costUsd: 0, tokensInput: 120, tokensOutput: 24 };
  assert.deepEqual(counted(codexDriver, home, [STARTED, FAILED], { spentInSession }), [[120, 24, undefined]]);
  assert.deepEqual(counted(codexDriver, home, [STARTED, { type: 'turn.completed', usage: usage(7, 2) }]), [[7, 2, 4]]);
});

test('a session without a file, with a link for one, or with an odd name has no tokens', () => {
  assert.deepEqual(counted(codexDriver, aHome({}), [STARTED, FAILED]), []);
  const home = aHome({ [`${ROLLOUT}.real`]: [count(120, 24)] });
  symlinkSync(join(home, `${ROLLOUT}.real`), join(home, ROLLOUT));
  assert.deepEqual(counted(codexDriver, home, [STARTED, FAILED]), []);
  assert.deepEqual(counted(codexDriver, home, [{ ...STARTED, thread_id: '../*' }, FAILED]), []);
});

test('a run of Gemini CLI that was ended has the tokens of the answers in its session file, each once', () => {
  const tokens = { input: 100, output: 20, cached: 10, thoughts: 5, tool: 0, total: 125 };
  const answer = (id: string) => ({ id, type: 'gemini', content: 'x', tokens });
  const file = '.gemini/tmp/shop/chats/session-2026-11-18T07-52-bb21e511.jsonl';
  const home = aHome({
    [file]: [answer('1'), { ...answer('1'), toolCalls: [] }, { id: 'u', type: 'user' }, answer('2')],
  });
  const begun = { type: 'init', session_id: 'bb21e511-7f1f-4579-938c-edb600b489b6', model: 'x' };
  assert.deepEqual(counted(geminiDriver, home, [begun]), [[200, 50, 20]]);
  const spentInSession = { costUsd: 0, tokensInput: 100, tokensOutput: 25 };
  assert.deepEqual(counted(geminiDriver, home, [begun], { spentInSession }), [[100, 25, undefined]]);
});
