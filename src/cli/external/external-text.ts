import type {
  AuditView,
  CreatedInvite,
  ExternalAgentView,
  InviteView,
  RevokeAnswer,
} from '../../api/external/external-contract.ts';
import type { Style } from '../output/style.ts';
import { secondText, timeText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

const ACTOR_WIDTH = 12;
const CODE_WIDTH = 18;

/** The code of a new invite, this once. */
export function createdInviteText({ invite, agent, scopes, expiresAt }: CreatedInvite, style: Style): string {
  return [
    `${style.strong(invite)}`,
    `invites ${visible(agent)} for ${scopes.join(', ')}, once and until ${timeText(expiresAt, style.nowMs)}`,
  ].join('\n');
}

/** For stderr: how the agent uses it. */
export function inviteNextText({ agent, url, certSha256 }: CreatedInvite, folder: string): string {
  const pin = certSha256 === null ? '' : ` --cert ${certSha256}`;
  const place = url ?? 'URL';
  const start = url === null ? `next: baton up${folder}  so that the agent can reach the node\n` : '';
  return `${start}next, where the agent runs: baton agent-client enrol ${place}${pin} --identity ${agent}.json  and paste the code`;
}

const STATES = { open: 'open', used: 'used', expired: 'expired', revoked: 'revoked' } as const;

export function inviteText(
  { id, agent, scopes, state, expiresAt, usedAt, sessionId }: InviteView,
  style: Style,
): string {
  const at = (instant: string) => timeText(instant, style.nowMs);
  const when = state === 'open' ? `until ${at(expiresAt)}` : usedAt === null ? '' : `${at(usedAt)} by ${sessionId}`;
  const shown = state === 'open' ? style.good(STATES[state]) : style.faint(STATES[state]);
  return `${style.faint(id)}  ${style.strong(visible(agent))}  ${shown} ${when}  ${scopes.join(', ')}`;
}

export function revokedText({ invites, sessions, tasks }: RevokeAnswer): string {
  const counted = (list: readonly string[], what: string) =>
    list.length === 0 ? [] : [`${list.length} ${what}${list.length === 1 ? '' : 's'}`];
  const freed = tasks.length === 0 ? '' : `; ${tasks.join(', ')} ${tasks.length === 1 ? 'is' : 'are'} free again`;
  return `revoked ${[...counted(sessions, 'session'), ...counted(invites, 'open invite')].join(' and ')}${freed}`;
}

/** An external agent in the list of agents: its name and state, and below that its key and scopes. */
export function externalAgentText(agent: ExternalAgentView, style: Style): string {
  const at = (instant: string) => timeText(instant, style.nowMs);
  const last = agent.lastCallAt === null ? '' : `, last call ${at(agent.lastCallAt)}`;
  const state =
    agent.state === 'enrolled'
      ? style.good(`enrolled ${at(agent.enrolledAt)}`)
      : style.bad(`revoked ${at(agent.revokedAt ?? '')}`);
  const holds = agent.holds.length === 0 ? '' : `, holds ${agent.holds.join(', ')}`;
  const name = style.strong(visible(agent.agent));
  const below = `key ${agent.keyThumbprint} · ${agent.scopes.join(', ')} · ${agent.sessionId}`;
  return `${name}  external  ${state}${last}${holds}\n${style.faint(`${' '.repeat(agent.agent.length)}  ${below}`)}`;
}

/** One call of the audit. */
export function auditText(row: AuditView, style: Style): string {
  const { at, verdict, code, answer, actor, operation, task, corrId, sessionId, address, times } = row;
  const word = code ?? answer ?? '';
  const shown = verdict === 'accepted' ? style.good('accepted') : style.bad('refused ');
  return [
    secondText(at),
    shown,
    visible(word).padEnd(CODE_WIDTH),
    visible(actor ?? '-').padEnd(ACTOR_WIDTH),
    visible(operation),
    ...(task === null ? [] : [task]),
    ...(times === 1 ? [] : [`${times} times`]),
    style.faint(
      [corrId, sessionId, address]
        .filter((part) => part !== null)
        .map(visible)
        .join(' '),
    ),
  ].join('  ');
}

interface EnrolledIdentity {
  readonly agent: string;
  readonly url: string;
  readonly sessionId: string;
  readonly scopes: readonly string[];
  readonly keyThumbprint: string;
  readonly identity: string;
}

/** An agent that has just enrolled, on its own machine. */
export function enrolledText({ agent, url, scopes, keyThumbprint, identity }: EnrolledIdentity, style: Style): string {
  return [
    `enrolled as ${style.strong(visible(agent))} at ${url} for ${scopes.join(', ')}`,
    `key ${keyThumbprint}, stored in ${identity}`,
  ].join('\n');
}

/** The answer to a call of an external agent: programs read it more often than people. */
export function clientAnswerText(answer: object): string {
  return JSON.stringify(answer, null, 2).split('\n').map(visible).join('\n');
}
