import type { NodeStatusAnswer } from '../../src/api/federation-contract.ts';
import { call } from '../node/call-node.ts';
import { NodeError } from '../node/node-error.ts';
import { useResource } from '../node/resource.ts';
import { Command } from '../parts/command.tsx';
import { Loaded } from '../parts/states.tsx';
import { Verdict } from '../parts/verdict.tsx';

/** This node and the other machines that it works with. */
export default function NodesPage() {
  const status = useResource('nodes', async () => {
    try {
      return { status: await call('nodeStatus', {}) };
    } catch (error) {
      if (error instanceof NodeError && error.code === 'not_joined') return { status: null };
      throw error;
    }
  });
  return (
    <div>
      <header class="page-head">
        <h1>Nodes</h1>
      </header>
      <Loaded of={status} what="The nodes">
        {({ status: found }) => (found === null ? <Alone /> : <Peers status={found} />)}
      </Loaded>
    </div>
  );
}

function Alone() {
  return (
    <div class="first-use">
      <p>This node works alone. Nodes of other machines join over NATS, those of this one over a folder:</p>
      <Command text="baton node join ~/baton-shared" />
    </div>
  );
}

function Peers({ status: { nodeId, transport, connected, peers } }: { readonly status: NodeStatusAnswer }) {
  return (
    <>
      <p>
        <Verdict kind={connected ? 'checked' : 'failed'} word={connected ? 'connected' : 'not connected'} />{' '}
        <strong>{nodeId}</strong> <span class="muted">over {transport}</span>
      </p>
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th>State</th>
              <th class="right">Sent</th>
              <th class="right">Read here</th>
              <th class="right">Behind</th>
              <th class="right">Gaps</th>
            </tr>
          </thead>
          <tbody>
            {peers.map((peer) => (
              <tr key={peer.nodeId}>
                <td>{peer.nodeId}</td>
                <td>
                  <Verdict kind={peer.alive ? 'checked' : 'failed'} word={peer.alive ? 'alive' : 'silent'} />
                </td>
                <td class="right">{peer.seq}</td>
                <td class="right">{peer.cursor}</td>
                <td class="right">{peer.lag}</td>
                <td class="right">{peer.gaps}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
