import { join } from 'node:path';
import { requestNode } from '../api/http/call-node.ts';
import { NODE_ANSWER_MS_MAX, NODE_STOP_MS_MAX } from '../domain/limits.ts';
import { tryFolderLock } from '../platform/folder-lock.ts';
import { type NodeFile, readLiveNode } from '../platform/node-file.ts';
import { isSameProcess } from '../platform/process-start.ts';
import { systemTimer } from '../platform/timer.ts';

export type StopOutcome =
  | { readonly kind: 'stopped'; readonly node: NodeFile }
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
  const node = readLiveNode(folder);
  if (!node) return { kind: isFree(folder) ? 'none' : 'short-holder' };
  if (isFree(folder) || !(await answers(node))) return { kind: 'silent', node };
  if (isSameProcess(node.pid, node.pidStart)) process.kill(node.pid, 'SIGTERM');
  const timer = systemTimer();
  for (let waited = 0; waited <= NODE_STOP_MS_MAX; waited += POLL_MS) {
    if (!isSameProcess(node.pid, node.pidStart)) return { kind: 'stopped', node };
    await timer.pause(POLL_MS);
  }
  return { kind: 'late', node };
}

function isFree(folder: string): boolean {
  const lock = tryFolderLock(join(folder, 'lock.sqlite'));
  lock?.release();
  return lock !== null;
}

/** Whether its HTTP server accepts the token of node.json; a stopping node answers 503. */
async function answers(node: NodeFile): Promise<boolean> {
  try {
    const headers = { accept: 'application/json' };
    const signal = AbortSignal.timeout(NODE_ANSWER_MS_MAX);
    const { statusCode } = (await requestNode(node, { method: 'GET', path: '/v1/status', headers, signal })).resume();
    return statusCode === 200 || statusCode === 503;
  } catch {
    // No process listens there, or none that answers in time.
    return false;
  }
}
