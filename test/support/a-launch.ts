import { join } from 'node:path';
import type { AgentFacts, LaunchRequest } from '../../src/agents/agent-driver.ts';
import { encodeAop } from '../../src/protocols/aop/encode.ts';
import { anOrder } from './an-order.ts';
import { sampleTask } from './aop-samples.ts';

const AGENTS = join(import.meta.dirname, '..', 'fixtures', 'agents');

/** An agent that behaves as one of test/fixtures/agents does. */
export function fixtureAgent(behaviour: string): AgentFacts {
  return {
    name: behaviour,
    driver: 'process',
    provider: 'OTHER',
    model: behaviour,
    role: 'developer',
    command: [process.execPath, join(AGENTS, `${behaviour}.mjs`)],
    ownPaths: [AGENTS],
    aopVersions: null,
  };
}

/** A launch of the smallest TASK, with what the order says of its objective and outputs. */
export function aLaunch(changes: Partial<LaunchRequest> = {}): LaunchRequest {
  const { order = anOrder(), agent = fixtureAgent('completes'), workspace = order.workspaceRoot } = changes;
  const task = sampleTask({
    task_id: order.taskId,
    objective: order.objective,
    environment: { workspace_root: workspace },
    expected_outputs: order.outputs.map(({ type, path, description }) => ({ type, path, description })),
  });
  return { order, agent, workspace, taskText: encodeAop(task), isSandboxed: false, ...changes };
}
