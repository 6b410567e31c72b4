import type * as z from 'zod';
import type { InvokeAnswer } from '../api/external/external-contract.ts';
import { OPERATION_ARGUMENTS } from '../api/external/external-schemas.ts';
import type { NodeClient, RequestOf } from '../api/node-client.ts';
import { readFields } from '../api/read-fields.ts';
import { isOperation, OPERATIONS } from '../domain/external/external-agent.ts';
import { CORR_ID_CHARACTERS_MAX } from '../domain/external/external-limits.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { recipientsOf, selectInbox } from '../ledger/statements/federation/inbox.ts';
import type { Reader } from '../ledger/tx.ts';
import type { AuthenticatedRequest, ExternalAccess } from './external-access.ts';
import { type OperationCall, runOperation } from './run-operation.ts';
import { taskNamed } from './token-calls.ts';

export interface InvokeParts {
  readonly access: ExternalAccess;
  readonly read: Reader;
  /** The client of the agent that asks. */
  readonly client: NodeClient;
}

export interface AskedOperation extends RequestOf<'invoke'> {
  /** Under which the call takes effect once. */
  readonly key: string | null;
}

const CORR_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${CORR_ID_CHARACTERS_MAX}}$`);
const OPERATION_CHARACTERS_MAX = 64;

/** Makes one operation for an external agent: judged and recorded first, then made, then its end is recorded. */
export async function invokeOperation(
  { access, read, client }: InvokeParts,
  request: AuthenticatedRequest,
  asked: AskedOperation,
): Promise<InvokeAnswer | Refusal> {
  const { caller } = request;
  const { operation, arguments: given = {}, key } = asked;
  const task = typeof given.task === 'string' ? taskNamed(read, given.task) : null;
  const fields = isOperation(operation) ? readFields(given, OPERATION_ARGUMENTS[operation] as z.ZodType<object>) : {};
  const threadId = operation === 'message.reply' ? threadOf(read, given.event, caller.agent) : null;
  const admitted = await access.admit(request, {
    operation: operation.slice(0, OPERATION_CHARACTERS_MAX),
    task,
    corrId: threadId ?? asked.corrId ?? null,
    isCorrelationGiven: threadId === null,
    key: isOperation(operation) && OPERATIONS[operation].effect === 'changes' ? key : null,
    refusal: isRefusal(fields) ? { ...fields, path: `/arguments${fields.path}` } : refuseCorrelation(asked.corrId),
  });
  if (isRefusal(admitted)) return admitted;
  if (!isOperation(operation)) throw new Error(`${operation} was admitted, and is no operation`);
  const { corrId, firstAt: at } = admitted;
  const options = key === null ? {} : { key: `${caller.sessionId}:${key}` };
  const call = { client, caller, given: fields, options, corrId, at } as OperationCall;
  try {
    const result = await runOperation(operation, call);
    await access.end(admitted, isRefusal(result) ? result.code : 'done');
    if (isRefusal(result)) return result;
    return { operation, corrId, sessionId: caller.sessionId, result: result as InvokeAnswer['result'] };
  } catch (error) {
    await access.end(admitted, 'node_failed');
    throw error;
  }
}

function refuseCorrelation(corrId: string | undefined): Refusal | null {
  if (corrId === undefined || CORR_ID.test(corrId)) return null;
  return refuse('invalid_argument', `corrId has 1 to ${CORR_ID_CHARACTERS_MAX} letters, digits and . _ : -`, '/corrId');
}

/** A reply bears the correlation of its message, where that was for this agent. */
function threadOf(read: Reader, event: unknown, agent: string): string | null {
  const row = typeof event === 'string' ? selectInbox(read, event) : null;
  return row && recipientsOf(read, row.eventId).includes(agent) ? (row.corrId ?? row.eventId) : null;
}
