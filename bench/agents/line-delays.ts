import { setTimeout } from 'node:timers/promises';
import { isRefusal } from '../../src/domain/refusal.ts';
import { RunStage } from '../../test/support/run-stage.ts';

/** Prints the time as words of Claude Code, a line at a time. */
const PROGRAM = `
const print = (event) => process.stdout.write(JSON.stringify({ session_id: 's', ...event }) + '\\n');
print({ type: 'system', subtype: 'init', model: 'm', claude_code_version: '2.1.325' });
let left = 500;
const timer = setInterval(() => {
  if (left-- > 0) print({ type: 'assistant', message: { content: [{ type: 'text', text: String(Date.now()) }] } });
  else { clearInterval(timer); print({ type: 'result', is_error: false, result: 'done' }); }
}, 10);
`;

/** Milliseconds from the instant that an agent prints a line to the one that a reader of the event stream has it. */
export async function lineDelays(): Promise<readonly number[]> {
  process.env.ANTHROPIC_API_KEY ??= 'sk-ant-fixture-key-0123456789';
  const stage = await RunStage.up('line-delays');
  const repository = stage.repository();
  repository.write('clock.mjs', PROGRAM);
  stage.configure({ agents: { clock: { driver: 'claude', command: [process.execPath, 'clock.mjs'] } } });
  const { client } = stage.daemon ?? {};
  if (!client) throw new Error('the node did not start');
  const controller = new AbortController();
  const events = await client.follow({ after: 0 }, controller.signal);
  if (isRefusal(events)) throw new Error(events.message);
  const delays: number[] = [];
  const read = (async () => {
    for await (const { type, payload } of events) {
      if (type === 'run.spoke') delays.push(Date.now() - Number(payload.text));
      if (type === 'run.exited') return;
    }
  })();
  await stage.data.run(['run', 'tell the time', '--agent', 'clock', '--yes'], { folder: repository.root });
  await Promise.race([read, setTimeout(30_000, undefined, { ref: false })]);
  controller.abort();
  // The bench would not exit before its node.
  await stage.daemon?.end();
  return delays;
}
