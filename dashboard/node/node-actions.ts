import { counted } from '../parts/format.ts';
import { call } from './call-node.ts';

// Each changes something about other nodes or external agents and resolves with a sentence about what came of it.

/** `key` is the one that the person has seen: the node refuses if the other node shows another one by now. */
export async function trustNode(node: string, key: string): Promise<string> {
  const { keyId } = await call('trustNode', { node, key });
  return `trusted with the key ${keyId}`;
}

export async function removeNode(node: string): Promise<string> {
  await call('removeNode', { node });
  return 'removed: nothing of it is accepted any more';
}

export async function dismissIncident(incident: string): Promise<string> {
  await call('dismissIncident', { incident });
  return 'dismissed';
}

/** An agent with all that it has, one invite or one session. */
export async function revokeExternal(who: string): Promise<string> {
  const { invites, sessions, tasks } = await call('revokeExternal', { who });
  const ended = [
    sessions.length > 0 && counted(sessions.length, 'session'),
    invites.length > 0 && counted(invites.length, 'invite'),
  ].filter(Boolean);
  const free = tasks.length === 0 ? '' : `; ${counted(tasks.length, 'task')} free again`;
  return `revoked: ${ended.join(' and ') || 'nothing was left'}${free}`;
}
