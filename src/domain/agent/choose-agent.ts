import { isTriggered } from '../execution/choose-fallback.ts';
import type { Order } from '../order/order.ts';
import { AUTO } from '../order/route-order.ts';
import { type Refusal, refuseField } from '../refusal.ts';
import { nearWord } from '../words/near-word.ts';
import type { DriverName, Provider, UnreadyAgent } from './agent.ts';

/** An agent that is ready for work. */
export interface KnownAgent {
  readonly name: string;
  readonly driver: DriverName;
  readonly provider: Provider;
  readonly model: string;
  /** The model of its vendor's own settings; absent where they name none. */
  readonly vendorModel?: string;
  /** Its model is reached over the network. */
  readonly hasRemoteModel: boolean;
  readonly versionsRead: readonly string[] | null;
}

/** The model of an order that names none. */
export const MODEL_UNKNOWN = 'unknown';

type NamedAgent = Pick<KnownAgent, 'name' | 'driver' | 'provider' | 'model' | 'vendorModel'>;

/** The agents of the target and of each alternative; null where none matches. */
export interface ChosenAgents {
  readonly target: KnownAgent | null;
  readonly alternatives: readonly (KnownAgent | null)[];
}

/** aop:agent-choice: a name wins, else provider and model must both be equal. */
export function agentOfTarget<Agent extends NamedAgent>(
  target: Pick<Order['target'], 'agentName' | 'provider' | 'model'>,
  agents: readonly Agent[],
): Agent | null {
  return agents.find(({ name }) => name === target.agentName) ?? agentOfModel(target, agents);
}

/** The demo agent is chosen by name only: it has no model. */
function agentOfModel<Agent extends NamedAgent>(
  wanted: { readonly provider: Provider; readonly model: string },
  agents: readonly Agent[],
): Agent | null {
  const fits = ({ driver, provider, model, vendorModel }: Agent) =>
    driver !== 'demo' && provider === wanted.provider && (model === wanted.model || vendorModel === wanted.model);
  return agents.find(fits) ?? null;
}

/** aop:agent-choice: refuses only if no alternative that this failure triggers has an agent. */
export function chooseAgents(
  order: Order,
  { agents, unready }: { readonly agents: readonly KnownAgent[]; readonly unready: readonly UnreadyAgent[] },
): ChosenAgents | Refusal {
  if (order.target.agentName === AUTO && agents.every(({ name }) => name !== AUTO)) return refuseUnrouted();
  const target = agentOfTarget(order.target, agents);
  const isClosed = order.access.network === 'NONE';
  if (isClosed && target?.hasRemoteModel) {
    const message = `the model of ${target.name} is reached over the network, and the task allows none`;
    return refuseField('permission-denied', message, { kind: 'model' });
  }
  const alternatives = order.alternatives.map((wanted) => {
    const agent = agentOfModel(wanted, agents);
    return isClosed && agent?.hasRemoteModel ? null : agent;
  });
  const isAnswered = order.alternatives.some(
    ({ trigger }, place) => alternatives[place] && isTriggered(trigger, 'agent-not-found', true),
  );
  return target || isAnswered ? { target, alternatives } : nobodyAnswers(order, agents, unready);
}

/** The choice was left to evidence, and there was nobody to choose. */
function refuseUnrouted(): Refusal {
  const refusal = refuseField('agent-not-found', 'no agent is ready that auto could choose', { kind: 'agent' });
  return { ...refusal, hint: 'baton agents shows what each one lacks; the agent demo needs no model' };
}

function nobodyAnswers({ target }: Order, agents: readonly KnownAgent[], unready: readonly UnreadyAgent[]): Refusal {
  const details = agents.map((agent) => `${agent.name}: ${agent.provider}, ${agent.model}`);
  const message = whyNoAgent(target, agents, unready);
  const refusal = { ...refuseField('agent-not-found', message, { kind: 'agent' }), details };
  const lacking = unready.find(({ name }) => name === target.agentName);
  if (!lacking) return refusal;
  if (lacking.isUntrusted) return { ...refusal, hint: 'baton trust shows what the file allows, and asks' };
  const first = lacking.isAbsent ? 'install it, log in' : 'make it ready';
  return { ...refusal, hint: `${first} and type the same again; baton agents shows who is ready` };
}

function whyNoAgent(
  { agentName, provider, model }: Order['target'],
  agents: readonly KnownAgent[],
  unready: readonly UnreadyAgent[],
): string {
  const broken = unready.find(({ name }) => name === agentName);
  if (broken?.isAbsent) return `${agentName} is not installed: ${broken.missing}`;
  if (broken) return `${agentName} is set up, but not ready: ${broken.missing}`;
  const names = [...agents, ...unready].map(({ name }) => name);
  const near = nearWord(agentName, names);
  const meant = near === null ? '' : `; did you mean ${near}?`;
  const orModel = model === MODEL_UNKNOWN ? '' : `, and none is ${provider} with the model ${model}`;
  return `no agent is named ${agentName}${orModel}${meant}`;
}
