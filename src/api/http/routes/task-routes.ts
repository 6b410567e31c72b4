import type { FastifyInstance } from 'fastify';
import { isRefusal } from '../../../domain/refusal.ts';
import type { NewTaskRequest, TaskChange, TaskListRequest } from '../../contract.ts';
import { changeRoute } from '../change-route.ts';
import type { Door } from '../door.ts';
import { readFields, readReference } from '../read-request.ts';
import { BY_AGENT, CANCEL, DEPEND, MOVE, NEW_TASK, NOTHING, TASK_CHANGE, TASKS_QUERY } from '../request-kinds.ts';
import { sendAnswer, sendRefusal } from '../send-answer.ts';
import { addOrderRoutes } from './order-routes.ts';

/** Tasks: to look at, and for people to change. */
export function addTaskRoutes(app: FastifyInstance, { client }: Door): void {
  app.get('/v1/tasks', async (request, reply) => {
    const query = readFields(request.query, TASKS_QUERY);
    if (isRefusal(query)) return sendRefusal(reply, query);
    const { all, after, limit, ...filter } = query;
    const page = { ...(after && { after: Number(after) }), ...(limit && { limit: Math.max(1, Number(limit)) }) };
    const asked = { ...filter, ...page, all: all === 'true' } as TaskListRequest;
    return sendAnswer(reply, await client.listTasks(asked));
  });
  app.get('/v1/tasks/:ref', async (request, reply) => {
    const ref = readReference(request.params);
    if (isRefusal(ref)) return sendRefusal(reply, ref);
    return sendAnswer(reply, await client.showTask(ref));
  });
  app.post(
    '/v1/tasks',
    changeRoute(client, {
      body: NEW_TASK,
      status: 201,
      run: ({ body, options }) => client.createTask(body as NewTaskRequest, options),
    }),
  );
  app.patch(
    '/v1/tasks/:ref',
    changeRoute(client, {
      body: TASK_CHANGE,
      run: ({ ref, body, options }) => client.editTask(ref, body as TaskChange, options),
    }),
  );
  addMoves(app, client);
  addRunCalls(app, client);
  addOrderRoutes(app, client);
}

function addMoves(app: FastifyInstance, client: Door['client']): void {
  const move = changeRoute(client, {
    body: MOVE,
    run: ({ ref, body: { to, reason }, options }) =>
      client.moveTask(ref, to, { ...options, ...(reason !== undefined && { reason }) }),
  });
  const cancel = changeRoute(client, {
    body: CANCEL,
    run: ({ ref, body: { reason }, options }) =>
      client.cancelTask(ref, { ...options, ...(reason !== undefined && { reason }) }),
  });
  const retry = changeRoute(client, { body: NOTHING, run: ({ ref, options }) => client.retryTask(ref, options) });
  const depend = changeRoute(client, {
    body: DEPEND,
    run: ({ ref, body, options }) => client.dependTask(ref, body.on, options),
  });
  app.post('/v1/tasks/:ref/move', move);
  app.post('/v1/tasks/:ref/cancel', cancel);
  app.post('/v1/tasks/:ref/retry', retry);
  app.post('/v1/tasks/:ref/depend', depend);
}

/** What an agent does that Baton did not start: Baton-Run carries its run. */
function addRunCalls(app: FastifyInstance, client: Door['client']): void {
  const claim = changeRoute(client, {
    body: BY_AGENT,
    run: ({ ref, body, run, options }) => client.claimTask({ task: ref, agent: body.agent, run }, options),
  });
  const beat = changeRoute(client, {
    body: BY_AGENT,
    run: ({ ref, body, run }) => client.beatTask({ task: ref, agent: body.agent, run }),
  });
  const end = changeRoute(client, {
    body: BY_AGENT,
    run: ({ ref, body, run, options }) => client.endTask({ task: ref, agent: body.agent, run }, options),
  });
  app.post('/v1/tasks/:ref/claim', claim);
  app.post('/v1/tasks/:ref/beat', beat);
  app.post('/v1/tasks/:ref/end', end);
}
