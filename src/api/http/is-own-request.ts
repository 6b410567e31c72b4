import type { RunHolder } from '../../dispatch/attempt/agent-door.ts';

export interface AskedFor {
  readonly method: string;
  /** As it stands in the request line. */
  readonly url: string;
  /** The run that the request names, if it names one. */
  readonly run: string | string[] | undefined;
}

/**
 * Whether an agent asks for what its own run may have: its task, by one of its two lasting names and letter for letter,
 * the beats and the end of its run, and to say something. What it says is judged by whom it is about, further in.
 */
export function isOwnRequest({ method, url, run }: AskedFor, { taskId, taskUid, runId }: RunHolder): boolean {
  if (run !== undefined && run !== runId) return false;
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/v1/messages') return method === 'POST';
  return [taskId, taskUid].some((name) => {
    const task = `/v1/tasks/${name}`;
    return method === 'GET' ? path === task : method === 'POST' && (path === `${task}/beat` || path === `${task}/end`);
  });
}
