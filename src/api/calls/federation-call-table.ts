import { CHANGE, READ, REPEATABLE } from './call-spec.ts';

/** The calls about other machines. */
export const FEDERATION_CALLS = {
  nodeStatus: {
    ...READ,
    path: '/v1/federation',
    request: 'Nothing',
    answer: 'NodeStatusAnswer',
    isLong: true,
    about: 'Shows this node in its federation: connection, other nodes, how far it has read them, incidents.',
  },
  joinFederation: {
    ...REPEATABLE,
    path: '/v1/federation/join',
    request: 'JoinRequest',
    answer: 'JoinAnswer',
    isLong: true,
    about: 'Joins a federation, now and at every start.',
  },
  leaveFederation: {
    ...REPEATABLE,
    path: '/v1/federation/leave',
    request: 'Nothing',
    answer: 'LeaveAnswer',
    isLong: true,
    about: 'Leaves the federation: other nodes may take over its agents at once.',
  },
  trustNode: {
    ...REPEATABLE,
    path: '/v1/federation/nodes/{node}/trust',
    request: 'NodeRequest',
    answer: 'TrustAnswer',
    about: 'Accepts a node with the key that it shows now.',
  },
  removeNode: {
    ...REPEATABLE,
    path: '/v1/federation/nodes/{node}/remove',
    request: 'NodeRequest',
    answer: 'TrustAnswer',
    about: 'Accepts nothing of a node any more.',
  },
  sendMessage: {
    ...CHANGE,
    path: '/v1/federation/messages',
    request: 'MessageDraft',
    answer: 'SentMessage',
    status: 201,
    about: 'Sends a message to agents of this or other nodes. It wakes no model.',
  },
  sentMessages: {
    ...READ,
    path: '/v1/federation/messages/sent',
    request: 'SentRequest',
    answer: 'SentMessages',
    about: 'Lists the messages that this node sent, with what became of them at each recipient.',
  },
  readMessages: {
    ...REPEATABLE,
    path: '/v1/federation/messages/read',
    request: 'MailRequest',
    answer: 'MessageList',
    about: 'Reads the messages for agents of this node.',
  },
  replyMessage: {
    ...CHANGE,
    path: '/v1/federation/messages/{event}/reply',
    request: 'ReplyDraft',
    answer: 'SentMessage',
    status: 201,
    about: 'Answers a message.',
  },
} as const;
