import '../../style/nodes.css';
import { useEffect } from 'preact/hooks';
import type { CapabilityView, LinkList, NodeStatusAnswer } from '../../../src/api/federation/federation-contract.ts';
import { call } from '../../node/call-node.ts';
import { NodeError, wordsOf } from '../../node/node-error.ts';
import { type Resource, useResource } from '../../node/resource.ts';
import { Command } from '../../parts/command.tsx';
import { param } from '../../parts/route.ts';
import { Loaded } from '../../parts/states.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { factsOf } from './capability-facts.ts';
import { ExternalSection } from './external-section.tsx';
import { CapabilityTable, LagTable } from './federation-tables.tsx';
import { NodeIncidents } from './node-incidents.tsx';
import { NodeMap } from './node-map.tsx';
import { NodePanel } from './node-panel.tsx';

/** A heartbeat is no event of this log: the page looks again this often while it is seen. */
const LOOK_AGAIN_MS = 5_000;

interface Seen {
  readonly status: NodeStatusAnswer;
  readonly links: LinkList;
  readonly capabilities: readonly CapabilityView[];
}

/** This node and the other machines that it works with. */
export default function NodesPage() {
  const pairs = param('pairs');
  const seen = useResource(`nodes ${pairs}`, () => look(pairs === 'all'), concerns);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void seen.refresh();
    }, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [seen]);
  return (
    <div class="nodes-page">
      <header class="page-head">
        <h1>Nodes</h1>
      </header>
      <Loaded of={seen} what="The nodes">
        {(found) => (found.federation === null ? <Alone /> : <Together seen={found.federation} of={seen} />)}
      </Loaded>
      <ExternalSection />
    </div>
  );
}

function concerns({ type }: { readonly type: string }): boolean {
  return /^(federation|incident|capability|delivery)\./.test(type);
}

/** Null for a node that is in no federation. */
async function look(isAll: boolean): Promise<{ readonly federation: Seen | null }> {
  try {
    const status = await call('nodeStatus', { now: true });
    if (!status.connected) return { federation: { status, links: { links: [], total: 0 }, capabilities: [] } };
    const [links, { capabilities }] = await Promise.all([
      call('nodeLinks', { all: isAll }),
      call('listCapabilities', {}),
    ]);
    return { federation: { status, links, capabilities } };
  } catch (error) {
    if (error instanceof NodeError && error.code === 'not_joined') return { federation: null };
    throw error;
  }
}

function Alone() {
  return (
    <div class="first-use">
      <p>
        This node works alone. In a federation, nodes of several machines pass messages between their agents and offer
        each other what they can do. Every node keeps its own ledger, so the server between them may lose everything.
      </p>
      <ol>
        <li>
          <strong>Nodes on this machine</strong> join over a folder that they share:
          <Command text="baton node join ~/baton-shared" />
        </li>
        <li>
          <strong>Nodes on several machines</strong> join over a NATS server. On one of them:
          <Command text="nats-server -js -sd ~/nats" />
          and on each of them, with its address:
          <Command text="baton node join nats://HOST:4222" />
        </li>
      </ol>
      <p class="muted">
        <code>docs/operating.md</code>, “Several machines”, has users for each node, TLS and sizes.
      </p>
    </div>
  );
}

function Together({ seen, of }: { readonly seen: Seen; readonly of: Resource<unknown> }) {
  const { status, links } = seen;
  const capabilities = seen.capabilities.map(factsOf);
  const name = param('node');
  const refresh = () => void of.refresh();
  return (
    <>
      <Connection status={status} />
      {of.error.value !== null && (
        <p class="trouble" role="alert">
          What is shown is from before: {wordsOf(of.error.value).message}
        </p>
      )}
      <NodeIncidents status={status} refresh={refresh} />
      <NodeMap status={status} links={links.links} />
      {name !== '' && <NodePanel name={name} status={status} capabilities={capabilities} refresh={refresh} />}
      {status.connected && <LagTable links={links.links} total={links.total} />}
      {status.connected && <CapabilityTable capabilities={capabilities} />}
    </>
  );
}

/** The connection in a sentence, with the reason where there is none. */
function Connection({ status: { nodeId, federation, transport, connected, problem } }: { status: NodeStatusAnswer }) {
  const where = (
    <span class="muted">
      as <strong>{nodeId}</strong> in the federation {federation}, over {transport}
    </span>
  );
  if (connected) {
    return (
      <p class="connection">
        <Verdict kind="checked" word="connected" /> {where}
      </p>
    );
  }
  return (
    <p class="connection" role="status">
      {problem === null ? <Verdict kind="waiting" word="connecting" /> : <Verdict kind="failed" word="not connected" />}{' '}
      {where}
      {problem !== null && <span>: {problem}</span>}
      <span class="muted">. Baton tries again every second. What is sent meanwhile waits in the ledger.</span>
    </p>
  );
}
