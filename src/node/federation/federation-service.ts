import { join } from 'node:path';
import type { JoinAnswer, LeaveAnswer } from '../../api/federation/federation-contract.ts';
import type { RequestOf } from '../../api/node-client.ts';
import type { ConnectionWait, FederationAccess } from '../../calls/federation/federation-calls.ts';
import { ConfigFault } from '../../config/config-fault.ts';
import { removeSetting, writeSetting } from '../../config/write-setting.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Federation, FederationParts } from '../../federation/federation.ts';
import type { PresentedAgent } from '../../federation/nodes/node-record.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectEnrolledAgents, selectEnrolmentsOf } from '../../ledger/statements/external/enrolments.ts';
import { selectBusy } from '../../ledger/statements/ready-tasks.ts';
import type { RunSettings } from '../../orders/run-settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { faultFacts, type Logger } from '../../platform/logger.ts';
import { openNodeKey } from '../../platform/node-key.ts';
import { batonVersion } from '../../platform/process/own-process.ts';
import { type Timer, waitAtMost } from '../../platform/timer.ts';
import type { Parcels } from '../../remote/parcels.ts';
import type { ReceivedParts } from '../../remote/receiver/received-orders.ts';
import { type FederationSettings, federationSettings, loadFederation } from './federation-settings.ts';
import { openTransport } from './open-transport.ts';

const CONNECT_MS_MAX = 6_000;
/** Calls that the ledger can answer wait this long for a first connection. */
const FIRST_CONNECT_MS_MAX = 1_500;
/** The built-in agent is on every node: nobody owns its name. */
const EVERYWHERE = 'demo';
/** Nothing is known of an external agent but its name; it claims its tasks itself. */
const EXTERNAL = { role: 'developer', provider: 'OTHER', model: '' } as const;

export interface FederationServiceParts {
  readonly dataFolder: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly log: Logger;
  settings(): RunSettings;
  /** The parts that carry orders out; null on a node that does not stay on: tasks of others wait. */
  received(): Omit<ReceivedParts, 'transport'> | null;
  /** The content of work on its way between nodes. */
  parcels(): Promise<Parcels>;
  /** Something may have come for the orders of this node. */
  wake(): void;
}

/** The federation of a node: none, or one that is opened when it is first needed. */
export class FederationService implements FederationAccess {
  readonly #parts: FederationServiceParts;
  #opening: Promise<Federation | null> | null = null;
  /** The federation that was opened last; null before. */
  current: Federation | null = null;

  constructor(parts: FederationServiceParts) {
    this.#parts = parts;
  }

  /** For a node that stays on: joins where the configuration says so. A store that is away does not hold the start up. */
  start(): void {
    void this.#current().catch((error: unknown) => this.#parts.log.log('federation.failed', faultFacts(error)));
  }

  async open({ waits = 'connected' }: { readonly waits?: ConnectionWait } = {}): Promise<Federation | Refusal> {
    const federation = await this.#current();
    if (federation === null) return refuse('not_joined', 'this node is in no federation');
    const { transport, nodeId } = federation.parts;
    if (waits === 'connected' && !transport.isConnected) await waitAtMost(connection(federation), CONNECT_MS_MAX);
    if (waits === 'tried') await waitAtMost(transport.tried, FIRST_CONNECT_MS_MAX);
    if (transport.isConnected) await (waits === 'connected' ? federation.joined() : federation.joinedInTime());
    return federation.presence.isNameTaken ? nameTaken(nodeId) : federation;
  }

  async join(request: RequestOf<'joinFederation'>): Promise<JoinAnswer | Refusal> {
    const settings = federationSettings(request);
    const file = join(this.#parts.dataFolder, 'config.yaml');
    const wrong = this.#remember(file, request, true);
    if (wrong) return wrong;
    await this.close();
    const federation = await this.#make(settings);
    if (!(await waitAtMost(connection(federation), CONNECT_MS_MAX))) {
      const { problem } = federation.parts.transport;
      await federation.stop();
      return refuse('broker_unreachable', `${placeOf(settings)} cannot be joined: ${problem ?? 'it does not answer'}`);
    }
    await federation.joined();
    if (federation.presence.isNameTaken) {
      await federation.stop();
      return nameTaken(settings.node);
    }
    this.#remember(file, request, false);
    this.#opening = Promise.resolve(federation);
    const peers = (await federation.directory.nodes()).filter(({ nodeId }) => nodeId !== settings.node).length;
    return { nodeId: settings.node, transport: settings.transport, file, peers };
  }

  async leave(): Promise<LeaveAnswer | Refusal> {
    const federation = await this.#current();
    const file = join(this.#parts.dataFolder, 'config.yaml');
    if (federation === null) return refuse('not_joined', 'this node is in no federation');
    const isRemoved = removeSetting(file, 'federation');
    const { nodeId } = federation.parts;
    if (!isRemoved) {
      const refusal = refuse('invalid_argument', `federation is not set in ${file}, but in another file`);
      return { ...refusal, hint: 'baton config show --origin names the file' };
    }
    await federation.stop({ isLeaving: true });
    this.#opening = null;
    return { nodeId, file };
  }

  async close(): Promise<void> {
    const federation = await this.#opening?.catch(() => null);
    this.#opening = null;
    await federation?.stop();
  }

  #current(): Promise<Federation | null> {
    this.#opening ??= this.#load();
    return this.#opening;
  }

  async #load(): Promise<Federation | null> {
    const settings = loadFederation(this.#parts.dataFolder);
    if (settings) return await this.#make(settings);
    // The configuration may name one later.
    this.#opening = null;
    return null;
  }

  async #make(settings: FederationSettings): Promise<Federation> {
    const { ledger, clock, timer, ids, log, dataFolder } = this.#parts;
    const [{ Federation: Joined }, { injectEvent }, { readSkills, skillsFolder }, { partsOfTasks }, transport] =
      await Promise.all([
        import('../../federation/federation.ts'),
        import('../../messages/inject.ts'),
        import('../../federation/capabilities/skills.ts'),
        import('../../remote/receiver/received-orders.ts'),
        openTransport(settings, { clock, timer, ids, log }),
      ]);
    const parts: FederationParts = {
      nodeId: settings.node,
      federation: settings.name,
      transport,
      ledger,
      key: openNodeKey(dataFolder),
      clock,
      timer,
      ids,
      log,
      version: batonVersion(),
      gapPolicy: settings.gapPolicy,
      isTrustNeeded: settings.isTrustNeeded,
      inject: injectEvent,
      agents: () => this.#offered(settings),
      isLocal: (agent) =>
        this.#parts.settings().agents.some(({ name }) => name === agent) ||
        selectEnrolmentsOf(ledger.read, agent).length > 0,
      skills: () => readSkills(skillsFolder(dataFolder)),
      skillsFolder: skillsFolder(dataFolder),
      roomMax: settings.room,
      ...partsOfTasks(this.#parts, transport),
      onNews: () => this.#parts.wake(),
    };
    const federation = new Joined(parts);
    this.current = federation;
    await federation.start();
    return federation;
  }

  #offered({ agents: listed }: FederationSettings): readonly PresentedAgent[] {
    const { agents, slots } = this.#parts.settings();
    const { tasks } = selectBusy(this.#parts.ledger.read);
    const external = selectEnrolledAgents(this.#parts.ledger.read).map((name) => ({ name, ...EXTERNAL }));
    return [...agents, ...external]
      .filter(({ name }) => (listed === null ? name !== EVERYWHERE : listed.includes(name)))
      .map(({ name, role, provider, model }) => {
        const load = tasks.filter(({ agent }) => agent === name).length;
        return { name, role, provider, model, load, slots: slots.ofAgent[name] ?? 0 };
      });
  }

  /** Writes the settings into the folder's own file; with `isTrial` only judges them. */
  #remember(file: string, request: RequestOf<'joinFederation'>, isTrial: boolean): Refusal | null {
    try {
      const value = JSON.stringify(request);
      if (isTrial) writeSetting({ path: file, key: 'federation', value, beforeWriting: stopHere });
      else writeSetting({ path: file, key: 'federation', value });
      return null;
    } catch (error) {
      if (error instanceof Trial) return null;
      if (!(error instanceof ConfigFault)) throw error;
      const [first] = error.problems;
      return refuse('invalid_argument', first?.message ?? error.message, first?.path ?? '');
    }
  }
}

class Trial extends Error {}

function stopHere(): void {
  throw new Trial();
}

function connection({ parts: { transport } }: Federation): Promise<void> {
  return new Promise((resolve) => transport.onConnected(resolve));
}

function placeOf(settings: FederationSettings): string {
  return settings.transport === 'local' ? settings.folder : settings.url;
}

function nameTaken(node: string): Refusal {
  return refuse('node_name_taken', `another process is the node ${node} of this federation`);
}
