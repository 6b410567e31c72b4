import { hintAbout, isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/find-task.ts';
import { ANSWERED_NAMES } from '../calls.ts';
import { callNamed, callsMadeBy, type NodeClient } from '../node-client.ts';

/** Hints of refusals name the task of the request. */
export function withNamedTasks(client: NodeClient, read: Reader): NodeClient {
  const calls = callsMadeBy(ANSWERED_NAMES, (name) => {
    const call = callNamed(client, name);
    return async (request, options) => {
      const answer = await call(request, options);
      const { task } = (request ?? {}) as { readonly task?: unknown };
      return isRefusal(answer) && typeof task === 'string' ? withNamedTask(answer, task, read) : answer;
    };
  });
  return { ...client, ...calls };
}

function withNamedTask(refusal: Refusal, reference: string, read: Reader): Refusal {
  if (!refusal.hint.includes('TASK')) return refusal;
  const task = findTask(read, reference);
  return isRefusal(task) ? refusal : { ...refusal, hint: hintAbout(refusal.hint, task.id) };
}
