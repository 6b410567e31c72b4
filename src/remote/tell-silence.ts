import { judgeSilence, type SilenceChange, type SilenceIncident, silenceText } from '../domain/remote/judge-silence.ts';
import { closeNodeIncident, openNodeIncident } from '../federation/nodes/federation-incident.ts';
import type { KnownNodes } from '../federation/nodes/known-nodes.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectHeldTasks } from '../ledger/statements/federation/sent-tasks.ts';
import { selectOpenIncident, selectOpenOfKind } from '../ledger/statements/incidents.ts';
import type { Reader } from '../ledger/tx.ts';

const KIND = 'node_silent:';

interface SilenceParts {
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly known: Pick<KnownNodes, 'get'>;
}

/** Opens an incident about each silent node that runs tasks of this one, and closes those whose node is back or has none any more. */
export async function tellSilence({ ledger, known }: SilenceParts): Promise<void> {
  const { read } = ledger;
  const held = Map.groupBy(selectHeldTasks(read), ({ node }) => node);
  const open = openSilences(read);
  const holding = [...held].map(([node, tasks]) => {
    const { life = 'unseen', seenAt = null } = known.get(node) ?? {};
    return { node, life, seenAt, tasks: tasks.map(({ taskId }) => taskId) };
  });
  const change = judgeSilence(holding, open);
  if (change.opened.length + change.closed.length > 0) await ledger.submit(writeSilence, change);
}

function openSilences(read: Reader): readonly SilenceIncident[] {
  return selectOpenOfKind(read, KIND).map(({ id, kind }) => ({ id, node: kind.slice(KIND.length) }));
}

const writeSilence: Command<SilenceChange, { readonly changed: number }> = (tx, { opened, closed }) => {
  for (const { id, node } of closed) closeNodeIncident(tx, { id, kind: `${KIND}${node}` }, node);
  for (const silent of opened) {
    const kind = `${KIND}${silent.node}`;
    if (selectOpenIncident(tx, kind) !== null) continue;
    openNodeIncident(tx, { kind, detail: `${silent.node} is silent: ${silenceText(silent)}` }, silent.node);
  }
  return { changed: opened.length + closed.length };
};
