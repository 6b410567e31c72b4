import type { ExternalAgentView, InviteView } from '../../../src/api/external/external-contract.ts';
import type { VerdictKind } from '../../parts/verdict.tsx';

/** An invite that waits, or an agent that has enrolled: one line of the table. */
export interface ExternalRow {
  /** For `revoke`. */
  readonly id: string;
  readonly agent: string;
  readonly kind: VerdictKind;
  readonly word: string;
  readonly scopes: readonly string[];
  /** Its end, where it is open; else when it became what it is. */
  readonly at: string;
  readonly when: 'until' | 'since';
  readonly key: string | null;
  readonly lastCallAt: string | null;
  readonly holds: readonly string[];
  readonly isOpen: boolean;
}

/** Used invites are told by the agents that used them. Those that count now come first. */
export function externalRows(
  invites: readonly InviteView[],
  agents: readonly ExternalAgentView[],
): readonly ExternalRow[] {
  const rows = [...agents.map(agentRow), ...invites.filter(({ state }) => state !== 'used').map(inviteRow)];
  return rows.toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen));
}

function agentRow(each: ExternalAgentView): ExternalRow {
  const { agent, sessionId, keyThumbprint, scopes, state, enrolledAt, revokedAt, revokedWhy, lastCallAt, holds } = each;
  const isOpen = state === 'enrolled';
  const why = revokedWhy === null || revokedWhy === 'revoked' ? '' : `: ${revokedWhy.replaceAll('_', ' ')}`;
  return {
    id: sessionId,
    agent,
    kind: isOpen ? 'checked' : 'failed',
    word: isOpen ? 'joined' : `revoked${why}`,
    scopes,
    at: revokedAt ?? enrolledAt,
    when: 'since',
    key: keyThumbprint,
    lastCallAt,
    holds,
    isOpen,
  };
}

function inviteRow({ id, agent, scopes, state, createdAt, expiresAt }: InviteView): ExternalRow {
  const isOpen = state === 'open';
  const word = isOpen ? 'invited' : state === 'revoked' ? 'invite revoked' : 'invite expired';
  return {
    id,
    agent,
    kind: isOpen ? 'waiting' : 'unchecked',
    word,
    scopes,
    at: isOpen ? expiresAt : createdAt,
    when: isOpen ? 'until' : 'since',
    key: null,
    lastCallAt: null,
    holds: [],
    isOpen,
  };
}
