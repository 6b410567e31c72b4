import { describeIncident } from '../domain/federation/describe-incident.ts';
import { refuse } from '../domain/refusal.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { closeIncident, selectIncident } from '../ledger/statements/incidents.ts';

export interface DismissedIncident {
  readonly id: string;
  readonly kind: string;
  /** In milliseconds since 1970; earlier than now where somebody was faster. */
  readonly closedAt: number;
}

/** A person has seen an incident that nothing else would ever close. One whose cause lasts is refused. */
export const dismissIncident: Command<{ readonly incident: string }, DismissedIncident> = (tx, { incident: id }) => {
  const found = selectIncident(tx, id);
  if (found === null) return refuse('incident_not_found', `there is no incident ${id.slice(0, 64)}`, '/incident');
  const { incident, closedAt } = found;
  const { kind } = incident;
  if (closedAt !== null) return { id, kind, closedAt };
  const { actions } = describeIncident(incident);
  if (!actions.includes('dismiss')) {
    const refusal = refuse('invalid_argument', `${id} ends when its cause is gone: ${incident.detail}`, '/incident');
    const verbs = actions.map((verb) => (verb === 'doctor' ? 'baton doctor' : `baton node ${verb} NODE`));
    return { ...refusal, hint: verbs.length === 0 ? 'baton node status' : verbs.join(', or ') };
  }
  closeIncident(tx, id);
  insertEvent(tx, {
    type: 'incident.closed',
    actor: OPERATOR,
    taskId: incident.taskId as null,
    payload: { incident: id, kind },
  });
  return { id, kind, closedAt: tx.moment.now.wallMs };
};
