import { absentAgents } from '../agents/vendors.ts';
import type { AgentFacts } from '../domain/agent/agent.ts';
import type { KnownAgent } from '../domain/agent/choose-agent.ts';
import type { OrderNotes } from '../domain/execution/fact.ts';
import { type AdmissionFacts, admitOrder, type OrderAdmission } from '../domain/order/admit-order.ts';
import type { Order } from '../domain/order/order.ts';
import type { Round } from '../domain/order/round.ts';
import type { OrderWarning } from '../domain/order/warning.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { dataFolderAbove } from '../platform/files/find-data-folders.ts';
import { realPathOf } from '../workspace/resolve-path.ts';
import { realAllowed, resolvePaths } from './order-terms.ts';
import type { PlanWorld } from './plan-world.ts';
import type { RunSettings } from './run-settings.ts';

interface AdmissionQuestion {
  readonly order: Order;
  /** How many times the task was delegated. */
  readonly depth: number;
  readonly warnings: readonly OrderWarning[];
}

/** Nothing was found about the text. */
export const NO_NOTES: OrderNotes = { warnings: [], fallback: null };

/**
 * Admits a decided order, or refuses it; what it needs beyond its bounds is for the caller to allow or to refuse. The sender is
 * told if its agent does not read the version of its message.
 */
export async function admitRound(
  world: PlanWorld,
  { order, message = null, notes = NO_NOTES }: Pick<Round, 'order' | 'message' | 'notes'>,
  depth: number,
): Promise<OrderAdmission | Refusal> {
  await world.roster.askVersions();
  const { warnings, routing } = notes;
  const admission = await admit(world, { order, depth, warnings });
  if (isRefusal(admission)) return admission;
  const { admitted, needs } = admission;
  const agent = world.roster.settings().agents.find(({ name }) => name === admitted.agent);
  const atMs = world.clock.now().wallMs;
  const fallback = notes.fallback ?? world.edge.noteUnreadVersion({ order, message, agent, alternative: null, atMs });
  return { admitted: { ...admitted, fallback, ...(routing && { routing }) }, needs };
}

/** Inspects the paths, agents and sandbox that the order needs. */
async function admit(world: PlanWorld, question: AdmissionQuestion): Promise<OrderAdmission | Refusal> {
  const { agents } = world.roster.settings();
  const admission = admitOrder(question.order, await admissionFacts(world, question));
  if (isRefusal(admission)) return admission;
  const { admitted, needs } = admission;
  const chosen = [admitted.agent, ...admitted.alternatives];
  return { admitted: { ...admitted, agents: agents.filter(({ name }) => chosen.includes(name)) }, needs };
}

async function admissionFacts(
  world: PlanWorld,
  { order, depth, warnings }: AdmissionQuestion,
): Promise<AdmissionFacts> {
  const settings = world.roster.settings();
  const sandbox = await world.sandboxes.sandbox();
  const places = resolvePaths(order);
  return {
    agents: settings.agents.map((agent) => knownAgent(world, agent)),
    unready: [...settings.unready, ...absentAgents(namesOf(settings))],
    sandbox: 'kind' in sandbox ? sandbox : { kind: 'there', name: sandbox.name },
    places,
    // Its path may contain a link; a folder that does not exist yet holds nothing.
    homes: world.surroundings.homes,
    allowed: realAllowed(order.bounds?.allow ?? []),
    dataFolder: realPathOf(world.dataFolder, '/') ?? world.dataFolder,
    otherDataFolders: realPathsOf(places).flatMap((path) => dataFolderAbove(path) ?? []),
    depth,
    warnings: [...warnings, ...(await unsearched(world, order))],
  };
}

function namesOf({ agents, unready }: RunSettings): readonly string[] {
  return [...agents, ...unready].map(({ name }) => name);
}

function realPathsOf(places: AdmissionFacts['places']): readonly string[] {
  return [...places.values()].flatMap((place) => ('realPath' in place ? [place.realPath] : []));
}

/** A grant with very many folders is searched for other data folders in part only. */
async function unsearched(world: PlanWorld, { access, workspaceRoot }: Order): Promise<readonly OrderWarning[]> {
  const paths = [...access.readPaths, ...access.writePaths];
  const { isWhole } = await world.sandboxes.foldersToHide(
    paths.flatMap((path) => realPathOf(path, workspaceRoot) ?? []),
  );
  if (isWhole) return [];
  const message =
    'the grant has too many folders to search all of them for other data folders: the agent may see one that lies deep';
  return [{ kind: 'message', code: null, path: null, message }];
}

function knownAgent({ roster: { drivers } }: PlanWorld, agent: AgentFacts): KnownAgent {
  const { name, driver, provider, model, versionsRead } = agent;
  const hasRemoteModel = drivers[driver]?.hasRemoteModel ?? false;
  return { name, driver, provider, model, hasRemoteModel, versionsRead };
}
