import { type AgentMail, inOrderOfPriority, MAIL_TOLD_MAX } from '../../domain/agent/agent-mail.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { markRead } from '../../ledger/statements/federation/inbox.ts';
import { markTold, selectUntold, type ToldBy, untell } from '../../ledger/statements/federation/told-mail.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { Mail } from './mailbox.ts';

/** Messages that are looked at for the most important ones. */
const UNTOLD_READ_MAX = 1_000;

/** The messages for agents of this node on their way into their sessions, each once (Runtime §3.3). */
export class AgentMailbox {
  readonly #ledger: Pick<Ledger, 'read' | 'submit'>;

  constructor(ledger: Pick<Ledger, 'read' | 'submit'>) {
    this.#ledger = ledger;
  }

  /** The messages that the run gets with its prompt, or into its turn. From then on they belong to this run alone. */
  async take(run: RunHolder, by: ToldBy): Promise<readonly AgentMail[]> {
    if (selectUntold(this.#ledger.read, run.agent, 1).length === 0) return [];
    const taken = await this.#ledger.submit(takeMail, { run, by });
    return isRefusal(taken) ? [] : taken.mail;
  }

  /** The run could not be told after all. */
  async putBack(run: RunHolder, mail: readonly AgentMail[]): Promise<void> {
    await this.#ledger.submit(putBackMail, { runId: run.runId, eventIds: mail.map(({ eventId }) => eventId) });
  }
}

interface MailForRun {
  readonly run: RunHolder;
  readonly by: ToldBy;
}

const takeMail: Command<MailForRun, { readonly mail: readonly AgentMail[] }> = (tx, { run, by }) => {
  const { agent, runId, taskId } = run;
  const now = tx.moment.now.wallMs;
  const rows = selectUntold(tx, agent, UNTOLD_READ_MAX).flatMap((row) => {
    const envelope = JSON.parse(row.envelope) as Mail;
    if (!isExpired(envelope, now)) return [{ ...row, mail: readMail(envelope) }];
    markTold(tx, row, { run: runId, by: 'expired' });
    return [];
  });
  const mail = inOrderOfPriority(rows.map((row) => row.mail)).slice(0, MAIL_TOLD_MAX);
  const told = new Set(mail);
  for (const row of rows) if (told.has(row.mail)) tell(tx, row, { run: runId, by });
  if (mail.length > 0) {
    const payload = { events: mail.map(({ eventId }) => eventId), by };
    insertEvent(tx, { type: 'message.told', actor: agent, taskId, runId, payload });
  }
  return { mail };
};

type ToldRow = Parameters<typeof markTold>[1];

function tell(tx: Tx, row: ToldRow, how: Parameters<typeof markTold>[2]): void {
  markTold(tx, row, how);
  markRead(tx, row.eventId, row.agent);
}

const putBackMail: Command<
  { readonly runId: string; readonly eventIds: readonly string[] },
  { readonly isBack: true }
> = (tx, { runId, eventIds }) => {
  untell(tx, eventIds, runId);
  return { isBack: true };
};

function isExpired({ expiresAt }: Mail, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

function readMail(envelope: Mail): AgentMail {
  const { eventId, sourceAgentId: from, sourceNodeId: node } = envelope;
  const own = { eventId, from, node, body: envelope.payload.body };
  if ('refEventId' in envelope.payload) {
    const { refEventId: replyTo } = envelope.payload;
    return { ...own, subject: null, priority: 'normal', expectsReply: false, replyTo };
  }
  const { subject = null, priority = 'normal', expectsReply = false } = envelope.payload;
  return { ...own, subject: subject || null, priority, expectsReply, replyTo: null };
}
