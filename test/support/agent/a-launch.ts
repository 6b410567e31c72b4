import type { Launch } from '../../../src/agents/agent-driver.ts';
import type { Grant } from '../../../src/agents/sandbox/sandbox.ts';
import type { AgentFacts } from '../../../src/domain/agent/agent.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import { promptOf } from '../../../src/domain/order/prompt.ts';
import type { TaskMessage } from '../../../src/protocols/aop/schema/task.ts';
import { AGENTS, programOf } from '../fixture-agents.ts';
import { sampleTask } from '../message/aop-samples.ts';
import { anOrder } from '../order/an-order.ts';
import { executionOf, leased } from '../run/an-execution.ts';

/** An agent that behaves as one of test/fixtures/agents does. */
export function fixtureAgent(behaviour: string): AgentFacts {
  return {
    name: behaviour,
    driver: 'process',
    provider: 'OTHER',
    model: behaviour,
    role: 'developer',
    command: [process.execPath, programOf(behaviour)],
    ownPaths: [AGENTS],
    versionsRead: null,
  };
}

interface LaunchChanges extends Partial<Launch> {
  readonly order?: Order;
}

/** A launch of the smallest TASK, with the objective and the outputs of the order. */
export function aLaunch({ order = anOrder(), ...changes }: LaunchChanges = {}): Launch {
  const { agent = fixtureAgent('completes'), workspace = order.workspaceRoot } = changes;
  const prompt = promptOf({
    order,
    message: taskOf(order, workspace),
    orderedAt: 0,
    attempts: executionOf(order, leased('run_1')).attempts,
  });
  return {
    prompt,
    agent,
    workspace,
    grant: aGrant(workspace),
    isSandboxed: false,
    variables: {},
    resume: null,
    ...changes,
  };
}

/** The working directory, and no network. */
export function aGrant(workspace: string): Grant {
  return {
    readPaths: [workspace],
    writePaths: [workspace],
    mounts: [],
    hiddenPaths: [],
    network: { level: 'NONE', hosts: [], loopbackPorts: [] },
  };
}

function taskOf(order: Order, workspace: string): TaskMessage {
  const task = sampleTask({
    task_id: order.taskId,
    objective: order.objective,
    environment: { workspace_root: workspace },
    expected_outputs: order.outputs.map(({ type, path, description }) => ({ type, path, description })),
  });
  return { ...task, target: { ...task.target, agent_name: order.target.agentName } };
}
