import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StatusAnswer } from '../api/contract.ts';
import { requestNode } from '../api/http/call-node.ts';
import { NODE_ANSWER_MS_MAX, NODE_STOP_MS_MAX } from '../domain/limits.ts';
import { tryFolderLock } from '../platform/folder-lock.ts';
import { type NodeFile, readStoppableNode } from '../platform/node-file.ts';
import { isSameProcess } from '../platform/process-start.ts';
import { abortAfter, systemTimer } from '../platform/timer.ts';

export type StopOutcome =
  | {
      readonly kind: 'stopped';
      readonly node: NodeFile;
      /** Agents that ended with it; their orders continue at the next start. */
      readonly agentsEnded: number;
    }
  /** It was signalled and still runs after ten seconds. */
  | { readonly kind: 'late'; readonly node: NodeFile }
  /** The process does not answer as a node, so it was not signalled. */
  | { readonly kind: 'silent'; readonly node: NodeFile }
  /** Another command holds the folder for a moment. */
  | { readonly kind: 'short-holder' }
  | { readonly kind: 'none' };

const POLL_MS = 20;

/** Stops the node of a folder after it has answered as the node: no process is signalled for its pid alone. */
export async function stopNode(folder: string): Promise<StopOutcome> {
  const node = readStoppableNode(folder);
  if (!node) return { kind: isFree(folder) ? 'none' : 'short-holder' };
  const running = isFree(folder) ? null : await countAgents(node);
  if (running === null) return { kind: 'silent', node };
  if (isSameProcess(node.pid, node.pidStart)) process.kill(node.pid, 'SIGTERM');
  const timer = systemTimer();
  for (let waited = 0; waited <= NODE_STOP_MS_MAX; waited += POLL_MS) {
    if (!isSameProcess(node.pid, node.pidStart)) return { kind: 'stopped', node, agentsEnded: running };
    await timer.pause(POLL_MS);
  }
  return { kind: 'late', node };
}

/** A folder without a lock file has no holder; opening the lock would create the file. */
function isFree(folder: string): boolean {
  const file = join(folder, 'lock.sqlite');
  if (!existsSync(file)) return true;
  const lock = tryFolderLock(file);
  lock?.release();
  return lock !== null;
}

/**
 * The number of agents that the node runs; null if nothing there accepts the token of node.json. A stopping node answers
 * 503 and counts none.
 */
async function countAgents(node: NodeFile): Promise<number | null> {
  try {
    const headers = { accept: 'application/json' };
    const signal = abortAfter(NODE_ANSWER_MS_MAX);
    const response = await requestNode(node, { method: 'GET', path: '/v1/status', headers, signal });
    const text = Buffer.concat(await Array.fromAsync(response)).toString('utf8');
    if (response.statusCode === 503) return 0;
    const { running } = JSON.parse(text) as Partial<Pick<StatusAnswer, 'running'>>;
    return response.statusCode === 200 && running
      ? running.filter(({ run }) => run?.isCarried && !run.isInterrupted).length
      : null;
  } catch {
    // No process listens there, or none that answers in time.
    return null;
  }
}
