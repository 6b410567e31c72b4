import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRefusal } from '../../../domain/refusal.ts';
import type { NodeClient } from '../../contract.ts';
import type { OrderRequest } from '../../order-contract.ts';
import { changeRoute } from '../change-route.ts';
import { readFields, readReference } from '../read-request.ts';
import { APPLY, LOG_QUERY, NO_QUERY, NOTHING, ORDER, UNDO } from '../request-kinds.ts';
import { sendAnswer, sendRefusal } from '../send-answer.ts';

/** Orders, what became of them, and the work they left. */
export function addOrderRoutes(app: FastifyInstance, client: NodeClient): void {
  app.post(
    '/v1/orders/plan',
    changeRoute(client, { body: ORDER, run: ({ body }) => client.planOrder(body as OrderRequest) }),
  );
  app.post(
    '/v1/orders',
    changeRoute(client, {
      body: ORDER,
      status: 201,
      run: ({ body, options }) => client.submitOrder(body as OrderRequest, options),
    }),
  );
  addLooks(app, client);
  addWork(app, client);
}

function addLooks(app: FastifyInstance, client: NodeClient): void {
  const look =
    (ask: (reference: string) => Promise<object>) => async (request: FastifyRequest, reply: FastifyReply) => {
      const query = readFields(request.query, NO_QUERY);
      if (isRefusal(query)) return sendRefusal(reply, query);
      const ref = readReference(request.params);
      return isRefusal(ref) ? sendRefusal(reply, ref) : sendAnswer(reply, await ask(ref));
    };
  app.get(
    '/v1/tasks/:ref/report',
    look((ref) => client.orderReport(ref)),
  );
  app.get(
    '/v1/tasks/:ref/diff',
    look((ref) => client.diffWork(ref)),
  );
  app.get('/v1/tasks/:ref/log', async (request, reply) => {
    const query = readFields(request.query, LOG_QUERY);
    if (isRefusal(query)) return sendRefusal(reply, query);
    const ref = readReference(request.params);
    if (isRefusal(ref)) return sendRefusal(reply, ref);
    return sendAnswer(reply, await client.readLog(ref, Number(query.after ?? 0)));
  });
}

function addWork(app: FastifyInstance, client: NodeClient): void {
  const stop = changeRoute(client, { body: NOTHING, run: ({ ref, options }) => client.stopOrder(ref, options) });
  const apply = changeRoute(client, {
    body: APPLY,
    run: ({ ref, body: { branch } }) => client.applyWork(ref, branch === undefined ? {} : { branch }),
  });
  const discard = changeRoute(client, { body: NOTHING, run: ({ ref }) => client.discardWork(ref) });
  const undo = changeRoute(client, {
    body: UNDO,
    run: ({ ref, body: { keep } }) => client.undoWork(ref, { keep: keep ?? false }),
  });
  const verify = changeRoute(client, { body: NOTHING, run: ({ ref }) => client.verifyWork(ref) });
  app.post('/v1/tasks/:ref/stop', stop);
  app.post('/v1/tasks/:ref/apply', apply);
  app.post('/v1/tasks/:ref/discard', discard);
  app.post('/v1/tasks/:ref/undo', undo);
  app.post('/v1/tasks/:ref/verify', verify);
}
