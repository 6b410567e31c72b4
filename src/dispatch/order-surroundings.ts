import { MODEL_UNKNOWN } from '../domain/decisions/choose-agent.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { OrderSurroundings } from '../protocols/aop/task-of-words.ts';
import type { RunSettings } from './run-world.ts';
import type { WantedOrder } from './wanted-order.ts';

interface Around {
  readonly configured: RunSettings;
  readonly ids: Ids;
  readonly clock: Clock;
}

const NOBODY = { name: 'unnamed', provider: 'OTHER', model: MODEL_UNKNOWN } as const;

/** What an order that is no TASK does not say itself. */
export function surroundingsOf(wanted: WantedOrder, { configured, ids, clock }: Around): OrderSurroundings {
  const id = ids.ulid();
  const name = chosenAgent(wanted, configured);
  return {
    sessionId: `ses_${id}`,
    taskId: `aop_${id}`,
    createdAt: new Date(clock.now().wallMs).toISOString(),
    workspaceRoot: wanted.workspace,
    agent: configured.agents.find((agent) => agent.name === name) ?? { ...NOBODY, name: name ?? NOBODY.name },
    origin: wanted.origin,
  };
}

/** Named, else the default, else the only one there is: never silently the one without a model. */
function chosenAgent({ agent }: WantedOrder, { agents, defaultAgent }: RunSettings): string | null {
  if (agent ?? defaultAgent) return agent ?? defaultAgent;
  const real = agents.filter(({ driver }) => driver !== 'demo');
  return real.length === 1 ? (real[0]?.name ?? null) : null;
}

export function refuseNobody(wanted: WantedOrder, configured: RunSettings): Refusal | null {
  if (chosenAgent(wanted, configured) !== null) return null;
  const { agents } = configured;
  const refusal = refuse('E_AGENT_NOT_FOUND', whyNobody(configured), '/target/agent_name');
  const hint =
    agents.length > 1
      ? '--agent NAME, or for good: baton config set default_agent NAME'
      : '--agent demo, which needs no model; docs/writing-an-agent.md tells how to add your own';
  const about = ({ driver, model }: RunSettings['agents'][number]) =>
    driver === 'demo' ? 'built in, uses no model' : `${driver}, ${model}`;
  return { ...refusal, hint, details: agents.map((agent) => `${agent.name}: ${about(agent)}`) };
}

function whyNobody({ agents, unready }: RunSettings): string {
  if (agents.length > 1) return 'which agent? several are ready';
  const [first] = unready;
  return first === undefined ? 'no agent is set up' : `no agent is ready; ${first.name}: ${first.missing}`;
}
