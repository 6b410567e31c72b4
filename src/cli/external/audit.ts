import type { AuditPage, AuditView } from '../../api/external/external-contract.ts';
import type { NodeClient, RequestOf } from '../../api/node-client.ts';
import { AUDIT_PER_PAGE_MAX } from '../../domain/external/external-limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { wallMs } from '../../platform/terminal.ts';
import { refused } from '../answer-of-call.ts';
import { type Call, flagText, UsageError } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { readInstant } from '../read-input.ts';
import { auditText } from './external-text.ts';

const FILTERS = ['agent', 'session', 'corr', 'task'] as const;

export const auditCommand = nodeCommand({
  usage: 'baton audit [--agent A] [--session S] [--corr C] [--task TASK] [--since POINT] [--refused] [--json]',
  about: [
    'Prints the calls of external agents, oldest first: when, accepted or refused and why, who, for what, and the ids that tie calls',
    'together. Rows are kept for 90 days. Invites, enrolments, revocations and refusals of known agents are events too, which',
    'baton events --type external.* prints.',
  ].join(' '),
  examples: [
    'baton audit --agent scout',
    'baton audit --refused --since today',
    'baton audit --corr corr_01JV3M2B1P2M4E6R7T8Y9U0I1O --json',
  ],
  ignores: ['key'],
  flags: {
    agent: { takes: 'value', shows: 'AGENT', help: 'only calls of this agent' },
    session: { takes: 'value', shows: 'SESSION', help: 'only calls of this session, xs_…' },
    corr: { takes: 'value', shows: 'CORR', help: 'only calls with this corrId' },
    task: { takes: 'value', shows: 'TASK', help: 'only calls about this task' },
    since: { takes: 'value', shows: 'POINT', help: 'only calls since this instant: 2026-02-09T21:00:00Z, today' },
    refused: { takes: 'nothing', help: 'only calls that were refused' },
  },
  plan(call) {
    const request = requestOf(call);
    return async (client) => {
      const first = await client.readAudit(request);
      return isRefusal(first) ? refused(first) : auditAnswer(client, request, first);
    };
  },
});

function requestOf(call: Call): RequestOf<'readAudit'> {
  if (call.words.length > 0) throw new UsageError('audit: takes no arguments', 'baton audit --agent NAME');
  const given = FILTERS.flatMap((name) => {
    const value = flagText(call, name);
    return value === undefined ? [] : [[name, value]];
  });
  const point = flagText(call, 'since');
  const since = point === undefined ? null : readInstant(point, wallMs());
  if (point !== undefined && since === null)
    throw new UsageError(`--since: ${JSON.stringify(point)} is no instant`, '--since 2026-02-09T21:00:00Z, or today');
  return {
    ...Object.fromEntries(given),
    ...(since !== null && { since }),
    ...(call.flags.refused && { verdict: 'refused' }),
  };
}

function auditAnswer(client: NodeClient, request: RequestOf<'readAudit'>, first: AuditPage): NodeAnswer<AuditView> {
  async function* values(): AsyncGenerator<AuditView> {
    let page: AuditPage | Refusal = first;
    while (!isRefusal(page)) {
      yield* page.entries;
      if (page.next === null || page.entries.length < AUDIT_PER_PAGE_MAX) return;
      page = await client.readAudit({ ...request, after: page.next });
    }
  }
  return {
    values: values(),
    human: auditText,
    summary: () => (first.entries.length === 0 ? 'no calls of external agents' : null),
    exitCode: () => 0,
  };
}
