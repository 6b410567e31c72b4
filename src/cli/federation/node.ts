import { resolve } from 'node:path';
import type { LinkView } from '../../api/federation/federation-contract.ts';
import type { NodeClient, RequestOf } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { type Call, flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import {
  dismissText,
  joinText,
  lagText,
  leaveText,
  linkText,
  nodeStatusText,
  nodeTrustText,
} from './federation-text.ts';

const NO_EXTRA = 'baton node --help';

export const nodeJoinCommand = nodeCommand({
  usage: 'baton node join nats://HOST:PORT | DIR [--node NAME] [--creds FILE] [--name FEDERATION] [--json]',
  about: [
    'Joins this data folder to a federation, now and at every start: over a NATS server with JetStream, or over a folder that the nodes',
    'of one machine share. It takes part while it runs: baton up. docs/operating.md says how to start a server.',
  ].join(' '),
  examples: ['baton node join nats://broker:4222 --node laptop', 'baton node join /srv/baton-shared --node left'],
  ignores: ['key'],
  creates: true,
  flags: {
    node: { takes: 'value', shows: 'NAME', help: 'the name of this node; by default that of the machine' },
    creds: { takes: 'value', shows: 'FILE', help: 'the credentials of this node for NATS' },
    folder: { takes: 'value', shows: 'DIR', help: 'the shared folder, in place of the first word' },
    name: { takes: 'value', shows: 'FEDERATION', help: 'where several federations use one server; by default baton' },
  },
  plan(call) {
    const request = joinRequest(call);
    return async (client) =>
      answerOfCall(await client.joinFederation(request), {
        say: joinText,
        next: () => 'next: baton up  stays on and takes part',
      });
  },
});

function joinRequest(call: Call): RequestOf<'joinFederation'> {
  const [first, tooMany] = call.words;
  const folder = flagText(call, 'folder');
  const place = first ?? folder;
  if (place === undefined || tooMany !== undefined || (first !== undefined && folder !== undefined)) {
    throw new UsageError(
      'node join: needs one server or one folder',
      'baton node join nats://HOST:4222, or baton node join DIR',
    );
  }
  const [node, creds, name] = ['node', 'creds', 'name'].map((flag) => flagText(call, flag));
  const named = { ...(node !== undefined && { node }), ...(name !== undefined && { name }) };
  if (/^(nats|tls|ws|wss):\/\//.test(place)) {
    return { transport: 'nats', url: place, ...named, ...(creds !== undefined && { creds: resolve(creds) }) };
  }
  if (/^[a-z]+:\/\//i.test(place))
    throw new UsageError(`node join: ${place} is no address of NATS`, 'nats://HOST:4222');
  if (creds !== undefined)
    throw new UsageError('node join: --creds is for NATS', 'baton node join nats://HOST:4222 --creds FILE');
  return { transport: 'local', folder: resolve(place), ...named };
}

export const nodeStatusCommand = nodeCommand({
  usage: 'baton node status [--json]',
  about: [
    'Shows this node in its federation: whether it is connected, which other nodes are alive, how far it has read their events, which agents',
    'they offer, and what is wrong.',
  ].join(' '),
  examples: ['baton node status', 'baton node status --json'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    refuseWords(call, 'status');
    return async (client) => answerOfCall(await client.nodeStatus(), { say: nodeStatusText });
  },
});

export const nodeLagCommand = nodeCommand({
  usage: 'baton node lag [--all] [--json]',
  about: 'Prints for each other node how many of its events this one has not read. Exit 1 if there are any.',
  examples: ['baton node lag', 'baton node lag --all --json'],
  ignores: ['key'],
  flags: {
    all: {
      takes: 'nothing',
      help: 'every pair of nodes that exchange events, in both directions, those that lag first',
    },
  },
  plan(call) {
    refuseWords(call, 'lag');
    const isJson = Boolean(call.flags.json);
    if (call.flags.all) return lagOfAll;
    return async (client) => {
      const status = await client.nodeStatus();
      const answer = answerOfCall(status, {
        say: lagText,
        exitCode: ({ peers }) => (peers.some(({ lag }) => lag > 0) ? 1 : 0),
      });
      if (!isJson || !('peers' in status)) return answer;
      return {
        ...answer,
        values: status.peers.map(({ nodeId, seq, cursor, lag, gaps }) => ({ nodeId, seq, cursor, lag, gaps })),
      };
    };
  },
});

/** One value for each pair. */
async function lagOfAll(client: NodeClient) {
  const list = await client.nodeLinks({ all: true });
  if (isRefusal(list)) return refused(list);
  const { links, total } = list;
  return {
    values: links,
    human: (link: unknown) => linkText(link as LinkView),
    summary: () =>
      total === 0
        ? 'no node reads another yet'
        : total > links.length
          ? `and ${total - links.length} more pairs`
          : null,
    exitCode: () => (links.some(({ lag }) => lag > 0) ? 1 : 0),
  };
}

export const nodeLeaveCommand = nodeCommand({
  usage: 'baton node leave [--json]',
  about:
    'Leaves the federation. Other nodes with agents of the same names may take over at once; what was sent stays sent.',
  examples: ['baton node leave'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    refuseWords(call, 'leave');
    return async (client) => answerOfCall(await client.leaveFederation(), { say: leaveText });
  },
});

export const nodeTrustCommand = nodeCommand({
  usage: 'baton node trust NODE [--with-key KEY] [--json]',
  about: [
    'Accepts a node with the key that it presents now: after it has lost its key, or where federation.trust is listed. Compare the key with',
    'what baton node status prints on that node.',
  ].join(' '),
  examples: ['baton node trust laptop', 'baton node trust laptop --with-key 3f9c0a7712be45d1'],
  ignores: ['key'],
  flags: {
    'with-key': {
      takes: 'value',
      shows: 'KEY',
      help: 'the key that you compared: refused if the node shows another one',
    },
  },
  plan(call) {
    const node = oneNode(call, 'trust');
    const key = flagText(call, 'with-key');
    const request = { node, ...(key !== undefined && { key }) };
    return async (client) => answerOfCall(await client.trustNode(request), { say: nodeTrustText });
  },
});

export const nodeRemoveCommand = nodeCommand({
  usage: 'baton node remove NODE [--json]',
  about: 'Rejects everything from a node: messages and work. baton node trust NODE accepts it again.',
  examples: ['baton node remove laptop'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const node = oneNode(call, 'remove');
    return async (client) => answerOfCall(await client.removeNode({ node }), { say: nodeTrustText });
  },
});

export const nodeDismissCommand = nodeCommand({
  usage: 'baton node dismiss INCIDENT [--json]',
  about: [
    'Closes an incident about events that were lost, refused or not delivered, once you have seen it: nothing else would. One whose',
    'cause lasts is refused, with what ends it.',
  ].join(' '),
  examples: ['baton node dismiss inc_01JV3M2N8V1ZK4J2A0M7Y6P9QF'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const [incident, tooMany] = call.words;
    if (incident === undefined || tooMany !== undefined)
      throw new UsageError('node dismiss: needs one incident', 'baton node status lists them');
    return async (client) => answerOfCall(await client.dismissIncident({ incident }), { say: dismissText });
  },
});

function refuseWords(call: Call, verb: string): void {
  if (call.words.length > 0) throw new UsageError(`node ${verb}: takes no arguments`, NO_EXTRA);
}

function oneNode(call: Call, verb: string): string {
  const [node, tooMany] = call.words;
  if (node === undefined || tooMany !== undefined) {
    throw new UsageError(`node ${verb}: needs one node`, 'baton node status lists the nodes');
  }
  return node;
}
