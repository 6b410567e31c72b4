import type { NodeClient } from '../../../src/api/node-client.ts';
import { NodeFault } from '../../../src/api/node-fault.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import type { Acknowledged } from '../ledger/acknowledged.ts';

export interface DaemonLives {
  /** The answers of the node so far. */
  readonly answers: Acknowledged[];
  /** When every caller has met the end of the node. */
  readonly over: Promise<void>;
}

/** Callers that live lives through a node, one after the other, until it goes away under them. */
export function liveThrough(client: NodeClient, name: string, callers: number): DaemonLives {
  const answers: Acknowledged[] = [];
  const caller = async (own: number): Promise<void> => {
    for (let life = 0; ; life++) {
      try {
        await live(client, `${name}-${own}-${life}`, (answer) => answers.push(answer));
      } catch (error) {
        // The node is gone: whatever it did not answer does not count.
        if (error instanceof NodeFault) return;
        throw error;
      }
    }
  };
  const over = Promise.all(Array.from({ length: callers }, (_, own) => caller(own))).then(() => undefined);
  return { answers, over };
}

async function live(client: NodeClient, title: string, tell: (answer: Acknowledged) => void): Promise<void> {
  const made = await client.createTask({ title, reviewRequired: false }, { key: title });
  if (isRefusal(made)) return tell({ answer: 'refused', task: title, code: made.code });
  const task = made.id;
  tell({ answer: 'created', task, title, revision: made.revision });
  const held = await client.claimTask({ task, agent: 'emma', run: null });
  if (isRefusal(held)) return tell({ answer: 'refused', task, code: held.code });
  const { id: run, fence } = held.run;
  tell({ answer: 'claimed', task, run, fence, agent: 'emma' });
  const sent = await client.send({ text: reportOf(task), run });
  for (const { eventId, type } of sent.events) tell({ answer: 'logged', task, seq: eventId, type });
  const ended = await client.endTask({ task, agent: 'emma', run });
  if (isRefusal(ended)) return tell({ answer: 'refused', task, code: ended.code });
  tell({ answer: 'ended', task, run, status: ended.task.status });
}

function reportOf(taskId: string): string {
  const tests = { total: 1, passed: 1, failed: 0 };
  const payload = { outcome: 'done', summaryRef: 'outputs/summary.md', tests, blockers: [], notes: 'so' };
  const route = { taskId, fromAgent: 'emma', toAgent: 'dispatcher', sentAt: '2026-02-09T21:00:00.000Z' };
  return JSON.stringify({ protocol: 'aof', version: 1, type: 'completion.report', ...route, payload });
}
