import { isAbsolute } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { HTTP_TREE_WAIT_MS_MAX } from '../../../domain/limits.ts';
import { isRefusal, refuse } from '../../../domain/refusal.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';
import { changeRoute } from '../change-route.ts';
import type { Door } from '../door.ts';
import { readFields } from '../read-request.ts';
import { BACKUP, NOTHING, SETTLED_QUERY } from '../request-kinds.ts';
import { sendRefusal } from '../send-answer.ts';

/** The node itself: whether it is there, what it holds, and what is done for its folder. */
export function addStatusRoutes(app: FastifyInstance, { client, isReady }: Door): void {
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => reply.code(isReady() ? 200 : 503).send({ ok: isReady() }));
  app.get('/v1/status', async () => await client.status());
  app.get('/v1/tree/settled', async (request, reply) => {
    const query = readFields(request.query, SETTLED_QUERY);
    if (isRefusal(query)) return sendRefusal(reply, query);
    const settled = await waitAtMost(client.treeSettled(query.tasks?.split(',')), HTTP_TREE_WAIT_MS_MAX);
    return reply.send({ settled });
  });
  app.post('/v1/rebuild', changeRoute(client, { body: NOTHING, run: () => client.rebuild() }));
  app.post(
    '/v1/backup',
    changeRoute(client, {
      body: BACKUP,
      run: async ({ body: { file, force } }) =>
        isAbsolute(file)
          ? await client.backup(file, { force: force === true })
          : refuse('invalid_argument', 'the node has a folder of its own: name the whole path', '/file'),
    }),
  );
}
