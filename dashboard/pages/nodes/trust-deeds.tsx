import type { PeerView } from '../../../src/api/federation/federation-contract.ts';
import { removeNode, trustNode } from '../../node/node-actions.ts';
import type { Action } from '../../parts/action.tsx';
import { askSure } from '../../parts/ask.tsx';
import { Command } from '../../parts/command.tsx';
import { keyText } from './peer-state.ts';

/** Shows the key first: a name alone proves nothing. */
export async function askToTrust(peer: PeerView, action: Action): Promise<void> {
  const key = peer.shownKeyId ?? peer.keyId;
  const isSure = await askSure({
    title: `Trust ${peer.nodeId}?`,
    submit: 'The keys are the same: trust it',
    body: (
      <>
        <p>
          It shows this key. Compare it with what the machine itself prints, not with what its node says over the
          network:
        </p>
        <p class="key-line mono">{keyText(key)}</p>
        <Command text="baton node status" />
        {peer.shownKeyId !== null && (
          <p class="warning">
            ▲ Another key counted until now: <span class="mono">{keyText(peer.keyId)}</span>. A node shows a new one
            after its data folder was lost or made anew. If nobody did that, somebody uses its name.
          </p>
        )}
        <p class="muted">
          Its messages are accepted from then on, and its work as far as the policy of this node allows.
        </p>
      </>
    ),
  });
  if (isSure) await action.run(() => trustNode(peer.nodeId, key));
}

export async function askToRemove(nodeId: string, action: Action): Promise<void> {
  const isSure = await askSure({
    title: `Remove ${nodeId}?`,
    submit: 'Remove it',
    isDanger: true,
    body: (
      <>
        <p>From then on nothing of it is accepted: no message and no work. What came before stays.</p>
        <p class="muted">It is not told, and stays in the federation of others. Trusting it later takes it back.</p>
      </>
    ),
  });
  if (isSure) await action.run(() => removeNode(nodeId));
}
