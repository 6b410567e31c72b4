import type { NodeClient } from '../../api/node-client.ts';
import { type TrailVerdict, verifyTrail } from '../../checks/audit-trail.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { counted } from '../../domain/words/counted.ts';
import { sessionFolder } from '../../node/session-files.ts';
import { signersOf } from '../../platform/node-key.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { nodeCommand } from '../node/node-command.ts';
import type { Style } from '../output/style.ts';
import { sessionWords } from './read-session-request.ts';

const EXIT = { intact: 0, broken: 1 } as const;

export const sessionAuditCommand = nodeCommand({
  usage: 'baton session audit SESSION [--json]',
  about: [
    'Verifies the audit trail of a session by its files alone: each record has the hash of the one before it, and the node signed the',
    'newest. Names the first record that was changed, removed, added or moved. Exit 0: intact. 1: broken.',
  ].join(' '),
  examples: ['baton session audit @', 'baton session audit night --json'],
  flags: {},
  plan(call) {
    const session = sessionWords(call, 'audit');
    return async (client) =>
      answerOfCall(await auditOf(client, session), { say: auditText, exitCode: ({ verdict }) => EXIT[verdict] });
  },
});

/** The ledger tells which session is meant and where its files lie. */
async function auditOf(client: NodeClient, reference: string): Promise<TrailVerdict | Refusal> {
  const found = await client.sessionReport({ session: reference });
  if (isRefusal(found)) return found;
  const { session_id: id, report } = found;
  if (report === null) {
    const refusal = refuse(
      'session_not_found',
      `session ${id} has no audit trail yet: it is written with its final report`,
    );
    return { ...refusal, hint: `baton session show ${id}` };
  }
  const status = await client.status();
  return isRefusal(status) ? status : await verifyTrail(sessionFolder(status.data, id), signersOf(status.data));
}

function auditText({ verdict, records, head, firstBad }: TrailVerdict, style: Style): string {
  const count = counted(records, 'record');
  if (firstBad === null) return `${style.good(verdict)}  ${count}, head ${head}`;
  return `${style.bad(verdict)}  ${firstBad.file} ${firstBad.reason}`;
}
