import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { AgentDriver, Launch } from '../../src/agents/agent-driver.ts';
import { demoDriver } from '../../src/agents/drivers/demo/demo-driver.ts';
import { processDriver } from '../../src/agents/drivers/process/process-driver.ts';
import { BubblewrapSandbox } from '../../src/agents/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { OpenSandbox } from '../../src/agents/sandbox/open/open-sandbox.ts';
import type { OutputLine, Sandbox } from '../../src/agents/sandbox/sandbox.ts';
import type { WatchEnd } from '../../src/dispatch/attempt/watch-process.ts';
import type { AgentFacts } from '../../src/domain/agent/agent.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { TaskMessage } from '../../src/protocols/aop/schema/task.ts';
import { aLaunch, fixtureAgent } from '../support/agent/a-launch.ts';
import { type WatchedAgent, watchAgent } from '../support/agent/watch-agent.ts';
import { anOrder } from '../support/order/an-order.ts';
import { noBubblewrap } from '../support/test-process.ts';

/** Behaviours that every driver's agent must be able to show. */
const BEHAVIOURS = ['completes', 'crashes', 'never-answers', 'reports-cost', 'partial', 'claims-failure'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

interface Candidate {
  readonly driver: AgentDriver;
  /** The agent and the objective that cause a behaviour. */
  launch(behaviour: Behaviour): { readonly agent: AgentFacts; readonly objective: string };
}

const DEMO: AgentFacts = {
  ...fixtureAgent('completes'),
  name: 'demo',
  driver: 'demo',
  provider: 'LOCAL',
  model: 'demo',
  command: null,
  ownPaths: [],
};

const DEMO_WORDS: Record<Behaviour, string> = {
  completes: 'Make what is expected.',
  crashes: '@demo exit 3',
  'never-answers': '@demo say working\n@demo hang',
  'reports-cost': '@demo cost 0.18 1980',
  partial: '@demo respond PARTIAL_SUCCESS',
  'claims-failure': '@demo respond FAILURE',
};

const CANDIDATES: readonly Candidate[] = [
  {
    driver: processDriver,
    launch: (behaviour) => ({
      agent: fixtureAgent(behaviour === 'claims-failure' ? 'model-unavailable' : behaviour),
      objective: 'Make what is expected.',
    }),
  },
  { driver: demoDriver, launch: (behaviour) => ({ agent: DEMO, objective: DEMO_WORDS[behaviour] }) },
];

function aWorkspace(t: TestContext): string {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'baton-driver-')));
  t.after(() => rmSync(workspace, { recursive: true }));
  return workspace;
}

function request(t: TestContext, { agent, objective }: ReturnType<Candidate['launch']>): Launch {
  const workspaceRoot = aWorkspace(t);
  const path = join(workspaceRoot, 'notes.txt');
  const output = { type: 'FILE', path, description: 'Notes about the work', validation: null, snapshot: null };
  const changes: Partial<Order> = { workspaceRoot, objective, outputs: [output] };
  return aLaunch({ order: anOrder(changes), agent });
}

interface Start {
  readonly asked: Launch;
  readonly sandbox: Sandbox;
}

async function startAgent(t: TestContext, driver: AgentDriver, { asked, sandbox }: Start): Promise<WatchedAgent> {
  const run = await watchAgent(driver, asked, { sandbox });
  t.after(async () => {
    run.process.kill();
    await run.ended.catch(() => {});
  });
  return run;
}

function exitCode({ exit }: WatchEnd): number | null | string {
  return exit.kind === 'exited' ? exit.exitCode : exit.reason;
}

const SANDBOXES: readonly Sandbox[] = [new OpenSandbox(), new BubblewrapSandbox('/usr/bin/bwrap')];

for (const { driver, launch } of CANDIDATES) {
  for (const sandbox of SANDBOXES) exercise(driver, launch, sandbox);
}

function exercise(driver: AgentDriver, launch: Candidate['launch'], sandbox: Sandbox): void {
  const start = (t: TestContext, asked: Launch) => startAgent(t, driver, { asked, sandbox });
  const behave = (t: TestContext, behaviour: Behaviour) => start(t, request(t, launch(behaviour)));
  const skip = sandbox.name === 'bubblewrap' ? noBubblewrap : false;

  describe(`the ${driver.name} driver, sandbox ${sandbox.name}`, { skip }, () => {
    test('plans the same twice, hands over the TASK with the attempt number, and names real paths only', (t) => {
      const asked = request(t, launch('completes'));
      const plan = driver.plan(asked);
      assert.ok(!isRefusal(plan));
      assert.deepEqual(plan, driver.plan(asked));
      const task = asked.prompt.ordered?.message as TaskMessage;
      assert.deepEqual(JSON.parse(plan.stdin), { ...task, task: { ...task.task, attempt: 1 } });
      assert.ok(plan.argv.length > 0);
      for (const path of plan.readPaths) assert.equal(realpathSync(path), path);
      for (const name of Object.keys(plan.env)) assert.ok(!name.startsWith('BATON_'), name);
    });

    test('without an order it hands over the words', (t) => {
      const prompt = { words: 'Review the change.', ordered: null };
      const plan = driver.plan({ ...request(t, launch('completes')), prompt });
      assert.ok(!isRefusal(plan));
      assert.equal(plan.stdin, prompt.words);
    });

    test('an agent that completes leaves its work and a claim for this task', async (t) => {
      const asked = request(t, launch('completes'));
      const run = await start(t, asked);
      const end = await run.ended;
      assert.deepEqual([exitCode(end), end.cause, end.malformed], [0, null, null]);
      assert.equal(end.claim?.result, 'done');
      const printed = JSON.parse(end.claim.text);
      assert.equal(printed.task_id, asked.prompt.ordered?.order.taskId);
      assert.deepEqual(printed.execution_summary.summary, end.claim.summary);
      assert.deepEqual(printed.execution_summary.actions, end.claim.actions);
      assert.match(readFileSync(join(asked.workspace, 'notes.txt'), 'utf8'), /\S/);
    });

    test('the claim of an agent is reported unchanged', async (t) => {
      for (const [behaviour, result] of [
        ['partial', 'partial'],
        ['claims-failure', 'failed'],
      ] as const) {
        const { claim } = await (await behave(t, behaviour)).ended;
        assert.equal(claim?.result, result);
      }
    });

    test('an agent that exits without a claim is reported with its exit code', async (t) => {
      const end = await (await behave(t, 'crashes')).ended;
      assert.deepEqual([exitCode(end), end.claim, end.malformed], [3, null, null]);
    });

    test('the cost that an agent reports is counted once', async (t) => {
      const { spend } = await (await behave(t, 'reports-cost')).ended;
      assert.deepEqual([spend.costUsd, spend.tokens], [0.18, 1_980]);
    });

    test('the output of an agent that never answers is read, and it ends on request', async (t) => {
      const run = await behave(t, 'never-answers');
      assert.deepEqual(await run.heard('output'), { kind: 'output', stream: 'stdout', text: 'working' });
      run.stop();
      const end = await run.ended;
      assert.deepEqual([end.cause, end.claim], ['stop', null]);
    });

    test('whatever is printed, its conversation does not throw, and every line has a signal', (t) => {
      const asked = request(t, launch('completes'));
      const conversation = driver.converse(asked);
      const hear = (line: OutputLine) => conversation.hear({ kind: 'line', line }).signals;
      const noise = ['', '{', '}', '[', '{"aop_version"', '\u0000', '\ufffd', '{"a":'.repeat(100), 'AOF/1', '{}'];
      for (const stream of ['stdout', 'stderr'] as const) {
        for (const text of noise) {
          assert.ok(hear({ stream, text, isTruncated: false }).length > 0, text);
          assert.ok(hear({ stream, text, isTruncated: true }).length > 0, text);
        }
      }
      conversation.end();
      assert.deepEqual(conversation.end(), []);
    });
  });
}
