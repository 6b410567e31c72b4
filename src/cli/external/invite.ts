import type { InviteView } from '../../api/external/external-contract.ts';
import { isScope, SCOPES } from '../../domain/external/external-agent.ts';
import { INVITE_MS_MAX } from '../../domain/external/external-limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import { type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { secondsOf } from '../order/read-order-request.ts';
import { createdInviteText, inviteNextText, inviteText, revokedText } from './external-text.ts';

export const inviteCommand = nodeCommand({
  usage: 'baton invite AGENT --scope SCOPE… [--ttl 15m] [--json]',
  about: [
    'Invites an agent that runs elsewhere: prints a code, once, that it exchanges for tokens within 15 minutes. The code is bound to',
    'the name AGENT and to the scopes; it is stored as a hash. Give it to the agent on a way that nobody else reads.',
  ].join(' '),
  terms: {
    'message.read': 'read the messages for the agent',
    'message.send': 'send messages in its name',
    'task.read': 'see its tasks, and those that wait for anybody',
    'task.claim': 'claim them, keep and give back the claim',
    'task.update': 'report progress',
    'task.complete': 'report the outcome; a person reviews the work',
    'status.read': 'see how many tasks there are, and those it holds',
    admin: 'see all external agents and the audit, and revoke agents',
  },
  examples: [
    'baton invite scout --scope task.read,task.claim,task.update,task.complete',
    'baton invite watcher --scope status.read --ttl 5m --json',
  ],
  ignores: ['key'],
  flags: {
    scope: { takes: 'values', shows: 'SCOPE', help: 'what it may do; several with commas between, or given again' },
    ttl: { takes: 'value', shows: 'TIME', help: 'how long the code counts: 90s, 5m, at most 15m (default)' },
  },
  creates: true,
  plan(call) {
    const request = { agent: agentOf(call), scopes: scopesOf(call), ttlSeconds: ttlOf(call) };
    return async (client) =>
      answerOfCall(await client.createInvite(request), {
        say: createdInviteText,
        next: (made) => inviteNextText(made, folderFlagOf(call)),
      });
  },
});

function agentOf(call: Call): string {
  const [agent, ...more] = call.words;
  const isScopes = (word: string) => word.split(',').every(isScope);
  if (agent !== undefined && more.every(isScopes)) return agent;
  throw new UsageError('invite: needs one name for the agent', 'baton invite scout --scope task.read');
}

function scopesOf(call: Call): readonly string[] {
  // --scope task.read task.claim: what follows the name is meant too.
  const given = [...(flagTexts(call, 'scope') ?? []), ...call.words.slice(1)];
  const scopes = given.flatMap((each) => each.split(',')).map((scope) => scope.trim());
  const hint = `the scopes are ${SCOPES.join(', ')}`;
  if (scopes.length === 0) throw new UsageError('invite: needs a scope', `--scope task.read; ${hint}`);
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new UsageError(`invite: no scope ${JSON.stringify(unknown)}`, hint);
  return scopes;
}

function ttlOf(call: Call): number {
  const given = flagText(call, 'ttl');
  const seconds = given === undefined ? INVITE_MS_MAX / 1_000 : secondsOf(given, 'ttl');
  if (seconds * 1_000 <= INVITE_MS_MAX) return seconds;
  throw new UsageError(`--ttl: an invite lives at most ${INVITE_MS_MAX / 60_000} minutes`, '--ttl 15m');
}

export const inviteListCommand = nodeCommand({
  usage: 'baton invite list [--all] [--json]',
  about:
    'Lists invites that can still be used, the newest first; never their codes. baton agents lists the agents that have enrolled.',
  examples: ['baton invite list', 'baton invite list --all --json'],
  ignores: ['key'],
  flags: { all: { takes: 'nothing', help: 'also those that were used, revoked, or have expired' } },
  plan(call) {
    if (call.words.length > 0) throw new UsageError('invite list: takes no arguments', 'baton invite list --all');
    return async (client) => {
      const list = await client.listInvites();
      if (isRefusal(list)) return refused(list);
      const invites = list.invites.filter(({ state }) => call.flags.all || state === 'open');
      return {
        values: invites,
        human: (invite, style) => inviteText(invite as InviteView, style),
        summary: () => (invites.length === 0 ? 'no open invites' : null),
        exitCode: () => 0,
      };
    };
  },
});

export const inviteRevokeCommand = nodeCommand({
  usage: 'baton invite revoke AGENT | INVITE | SESSION [--json]',
  about: [
    'Revokes an agent with all its invites and sessions, or one invite (inv_…) or session (xs_…). From then on none of its tokens counts,',
    'its open streams of events end, and tasks that it held are free again.',
  ].join(' '),
  examples: ['baton invite revoke scout', 'baton invite revoke inv_01JV3M2N8V1ZK4J2A0M7Y6P9QF'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const [who, tooMany] = call.words;
    if (who === undefined || tooMany !== undefined)
      throw new UsageError('invite revoke: needs one agent, invite or session', 'baton invite revoke scout');
    return async (client) =>
      answerOfCall(await client.revokeExternal({ who }), { say: revokedText, touched: ({ tasks }) => tasks });
  },
});
