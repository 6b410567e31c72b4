import { SENT_AT } from '../task/task-life.ts';

/** An AOF message as an agent sends it, without its prefix. */
export function aofText(type: string, taskId: string, fromAgent: string, payload: object): string {
  const route = { taskId, fromAgent, toAgent: 'dispatcher', sentAt: SENT_AT };
  return JSON.stringify({ protocol: 'aof', version: 1, type, ...route, payload });
}

/** A status.update to a status, and nothing else. */
export function statusText(taskId: string, agentId: string, status: string): string {
  return aofText('status.update', taskId, agentId, { taskId, agentId, status });
}
