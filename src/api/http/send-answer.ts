import type { FastifyReply } from 'fastify';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { LedgerFault } from '../../ledger/fault.ts';
import { isOutOfDescriptors } from '../../platform/free-descriptors.ts';
import { DOOR_ERRORS, type DoorErrorCode, doorErrorBody, refusalBody } from './door-error.ts';
import { HTTP_STATUS } from './http-status.ts';

/** A value, or the refusal that came in its place. */
export function sendAnswer(reply: FastifyReply, answer: object, status = 200): FastifyReply {
  if (isRefusal(answer)) return sendRefusal(reply, answer);
  return reply.code(status).send(answer);
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return reply.code(HTTP_STATUS[refusal.code]).send(refusalBody(refusal));
}

export function sendDoorError(reply: FastifyReply, code: DoorErrorCode): FastifyReply {
  return reply.code(DOOR_ERRORS[code].status).send(doorErrorBody(code));
}

/** What failed inside, told without what is inside. */
export function sendFault(reply: FastifyReply, error: unknown): FastifyReply {
  if (isOutOfDescriptors(error)) return sendDoorError(reply, 'node_crowded');
  const isLater = error instanceof LedgerFault && error.retryable;
  const { error: facts } = doorErrorBody('node_failed');
  return reply.code(isLater ? 503 : 500).send({ error: { ...facts, retryable: isLater } });
}
