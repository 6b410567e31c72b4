import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { httpClient } from '../../api/http/http-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import { NODE_ANSWER_MS_MAX, NODE_STOP_MS_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { tryFolderLock } from '../../platform/files/folder-lock.ts';
import { type NodeFile, readStoppableNode } from '../../platform/files/node-file.ts';
import { isSameProcess } from '../../platform/process/process-start.ts';
import { systemTimer, waitAtMost } from '../../platform/timer.ts';

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
    const asked = httpClient(node).status({});
    if (!(await waitAtMost(asked, NODE_ANSWER_MS_MAX))) return null;
    const status = await asked;
    if (isRefusal(status)) return null;
    return status.running.filter(({ run }) => run?.isCarried && !run.isInterrupted).length;
  } catch (error) {
    // Otherwise no process listens there, or none that accepts the token.
    return error instanceof NodeFault && error.code === 'node_stopping' ? 0 : null;
  }
}
