import { dirname, join } from 'node:path';
import type { OrderEdge } from '../orders/order-edge.ts';
import { writeDurably } from '../platform/files/durable-files.ts';
import { makeFoldersIn } from '../platform/files/make-folders.ts';
import { encodeResponse } from '../protocols/aop/encode-response.ts';
import { readStoredMessage } from '../protocols/aop/read-task-order.ts';
import { addressOfTask } from '../protocols/aop/sent-task.ts';
import { noteUnreadVersion } from '../protocols/aop/task-for-attempt.ts';
import { locateOrder, readOrder } from '../protocols/read-order.ts';
import { locateInSession, readSession } from '../protocols/session-words.ts';
import { publishSession } from './session-files.ts';

/** Orders are read and answered in AOP. */
export function aopEdge(dataFolder: string): OrderEdge {
  return {
    readOrder,
    addressOf: addressOfTask,
    readStoredMessage,
    readSession,
    locateInSession,
    publishSession: (report, audited) => publishSession(dataFolder, report, audited),
    locate: locateOrder,
    noteUnreadVersion,
    publishReport: async (order, report) => {
      const file = join(dataFolder, 'runs', report.task, 'response.json');
      makeFoldersIn(dataFolder, dirname(file));
      await writeDurably(file, `${JSON.stringify(encodeResponse(order, report), null, 2)}\n`);
    },
  };
}
