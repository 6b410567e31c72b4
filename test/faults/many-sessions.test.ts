import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { NodeClient } from '../../src/api/node-client.ts';
import { NodeFault } from '../../src/api/node-fault.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { SessionFinalReportEvent } from '../../src/protocols/aop/schema/events.ts';
import { linesOf } from '../support/run-baton.ts';
import { type AopTask, output, processesOf, RunStage, until } from '../support/run-stage.ts';
import { checkSession } from '../support/session/check-session.ts';
import { type Member, sessionFor } from '../support/session/session-stage.ts';
import { TestDaemon } from '../support/test-daemon.ts';
import { noBubblewrap } from '../support/test-process.ts';

const SESSIONS = 20;
const TASKS = 10;
/** For all tests: two hundred agents start on two cores, and ten thousand reports are written. */
const MINUTES_MAX = 30;
/** More agents at once than cores. */
const AT_ONCE = 8;

function configure(stage: RunStage, more: Readonly<Record<string, unknown>> = {}): void {
  const agent = { ...stage.agent('counts-its-starts'), at_once: AT_ONCE };
  stage.configure({ runs: { at_once: AT_ONCE }, agents: { 'counts-its-starts': agent }, ...more });
}

interface Planned {
  readonly tasks: readonly AopTask[];
  readonly states: Readonly<Record<string, string>>;
}

/** Ten tasks: chains with a failure in the middle, fans, maps with a reduce, each in a repository of its own. */
function sessionOf(stage: RunStage, number: number): Planned {
  const { root } = stage.repository();
  const names = Array.from({ length: TASKS }, (_, at) => `t${at}`);
  const breaks = number % 4 === 0 ? `t${1 + (number % 7)}` : null;
  const pattern = ['CHAIN', 'PARALLEL', 'MAP_REDUCE', 'CHAIN'][number % 4] as string;
  const members = names.map((name): readonly [string, Member] => [
    name,
    name === breaks
      ? { agent: 'crashes' }
      : { agent: 'counts-its-starts', task: { expected_outputs: [output(`${name}.txt`)] } },
  ]);
  const failed = breaks === null ? Number.POSITIVE_INFINITY : names.indexOf(breaks);
  const stateAt = (at: number) => (at < failed ? 'COMPLETED' : at === failed ? 'FAILED' : 'SKIPPED');
  return {
    tasks: sessionFor(root, Object.fromEntries(members), { workflow_pattern: pattern }),
    states: Object.fromEntries(names.map((name, at) => [name, stateAt(at)])),
  };
}

async function submit(client: NodeClient, { tasks }: Pick<Planned, 'tasks'>): Promise<string> {
  const workspace = tasks[0]?.task.environment.workspace_root ?? '';
  const answer = await client.submitSession({ text: JSON.stringify(tasks), workspace });
  assert.ok(!isRefusal(answer), JSON.stringify(answer));
  return answer.session_id;
}

async function reportOf(client: NodeClient, session: string): Promise<SessionFinalReportEvent> {
  let report: SessionFinalReportEvent | null = null;
  await until(async () => {
    const answer = await patient(client.sessionReport({ session }));
    assert.ok(!isRefusal(answer));
    report = (answer?.report ?? null) as SessionFinalReportEvent | null;
    return report !== null;
  });
  return report as unknown as SessionFinalReportEvent;
}

/** Tasks of all sessions that are completed. */
async function completed(client: NodeClient): Promise<number> {
  const page = await patient(client.listSessions({}));
  assert.ok(!isRefusal(page));
  return page?.sessions.reduce((sum, { totals }) => sum + totals.completed, 0) ?? 0;
}

/** Null where a node that starves beside so many agents takes too long to read the request: it is asked again. */
async function patient<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  return await answer.catch((error: unknown) => {
    if (error instanceof NodeFault) return null;
    throw error;
  });
}

/** Processes whose environment has this. */
function processesWith(variable: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable) ? [Number(pid)] : [];
      } catch {
        // Ended while it was looked at.
        return [];
      }
    });
}

/** False for a folder that went away with its process. */
function isWritten(file: string): boolean {
  try {
    writeFileSync(file, '');
    return true;
  } catch {
    // The process has ended, or is not in its folder yet.
    return false;
  }
}

describe('many sessions', { skip: noBubblewrap, timeout: MINUTES_MAX * 60_000 }, () => {
  for (const kills of [0, 3]) {
    test(`${SESSIONS} sessions of ${TASKS} tasks at once, the node killed ${kills} times: every task as it should, once`, async () => {
      const stage = await RunStage.alone('many-sessions');
      configure(stage);
      let node = await TestDaemon.start(stage.data.path);
      const planned = Array.from({ length: SESSIONS }, (_, number) => sessionOf(stage, number));
      const ids = await Promise.all(planned.map((each) => submit(node.client, each)));
      for (let kill = 0; kill < kills; kill++) {
        await until(async () => (await completed(node.client)) >= (kill + 1) * 30);
        await node.end('SIGKILL');
        node = await TestDaemon.start(stage.data.path);
      }
      for (const [at, { tasks, states }] of planned.entries()) {
        const report = await reportOf(node.client, ids[at] as string);
        const wanted = { states, runsMax: 1 + kills, isLedgerChecked: at > 0 };
        assert.deepEqual(checkSession(stage.data.path, report, wanted), []);
        assert.deepEqual(tasks.flatMap(processesOf), []);
      }
      await node.end();
    });
  }

  test('10,000 tasks in one file: accepted whole, there after kill -9, stopped in one go, and all reported', async () => {
    const stage = await RunStage.alone('ten-thousand');
    const { root } = stage.repository();
    const names = Array.from({ length: 10_000 }, (_, at) => `t${at}`);
    const members = names.map((name, at): readonly [string, Member] => [
      name,
      { agent: at === 0 ? 'works-until-told' : 'completes', ...(at > 0 && { after: [`t${at - 1}`] }) },
    ]);
    const tasks = sessionFor(root, Object.fromEntries(members), { workflow_pattern: 'PARALLEL' });
    const twice = [...tasks.slice(0, -1), { ...tasks.at(-1), task: { ...tasks.at(-1)?.task, task_id: 't7' } }];
    const file = join(stage.folder, 'twice.json');
    writeFileSync(file, JSON.stringify(twice));
    const refused = await stage.data.run(['session', 'run', file, '--json']);
    assert.equal(refused.status, 2, refused.stdout.slice(0, 500));
    assert.equal(linesOf<{ errors: { path: string }[] }>(refused)[0]?.errors[0]?.path, '/9999/task/task_id');

    let node = await TestDaemon.start(stage.data.path);
    const session = await submit(node.client, { tasks });
    await node.end('SIGKILL');
    node = await TestDaemon.start(stage.data.path);
    await until(() => processesOf(tasks[0] as AopTask).length > 0);
    const stopped = await node.client.stopSession({ session });
    assert.ok(!isRefusal(stopped), JSON.stringify(stopped).slice(0, 500));
    const states = Object.fromEntries(names.map((name) => [name, 'ABORTED']));
    const report = await reportOf(node.client, session);
    assert.deepEqual(checkSession(stage.data.path, report, { states, runsMax: 2 }), []);
    assert.deepEqual(processesOf(tasks[0] as AopTask), []);
    await node.end();
  });

  test('a parent that is killed while its children run: it has failed, they go on, and the session ends after them', async () => {
    const stage = await RunStage.up('parent-dies');
    const { client } = stage.daemon as TestDaemon;
    const { root } = stage.repository();
    const children = sessionFor(root, { one: { agent: 'works-until-told' }, two: { agent: 'works-until-told' } });
    const tasks = sessionFor(root, {
      parent: {
        agent: 'delegates-and-stays',
        objective: JSON.stringify(children),
        task: { constraints: { delegation_allowed: true } },
      },
    });
    const session = await submit(client, { tasks });
    const running = async () => {
      const view = await client.showSession({ session });
      assert.ok(!isRefusal(view));
      return view.tasks.filter(({ state }) => state === 'IN_PROGRESS');
    };
    await until(async () => (await running()).length === 3);
    const parent = (await running()).find(({ task_id }) => task_id === 'parent')?.id;
    await until(() => processesWith(`BATON_TASK=${parent}`).length > 0);
    for (const pid of processesWith(`BATON_TASK=${parent}`)) process.kill(pid, 'SIGKILL');
    await until(async () => (await running()).length === 2);
    for (const { id } of await running()) {
      const pids = () => processesWith(`BATON_TASK=${id}`);
      await until(() => pids().some((pid) => isWritten(`/proc/${pid}/cwd/go`)));
    }
    const report = await reportOf(client, session);
    const states = { parent: 'FAILED', one: 'COMPLETED', two: 'COMPLETED' };
    assert.deepEqual(checkSession(stage.data.path, report, { states, runsMax: 1 }), []);
    assert.equal(report.tasks?.find(({ task_id }) => task_id === 'parent')?.error_code, 'E_PROCESS_CRASH');
    await stage.daemon?.end();
  });

  test('a webhook that never answers: a session ends meanwhile, and the node stops', async () => {
    const server = createServer(() => {});
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    const stage = await RunStage.alone('deaf-webhook');
    const secret_file = join(stage.folder, 'secret');
    writeFileSync(secret_file, 'a secret');
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const on = ['needs-you', 'failed', 'session-ended', 'budget', 'review', 'blocked', 'done'];
    configure(stage, { notify: [{ on, webhook, secret_file }] });
    const node = await TestDaemon.start(stage.data.path);
    const planned = sessionOf(stage, 0);
    const report = await reportOf(node.client, await submit(node.client, planned));
    assert.deepEqual(checkSession(stage.data.path, report, { states: planned.states, runsMax: 1 }), []);
    assert.equal((await node.end('SIGTERM')).status, 0);
  });
});
