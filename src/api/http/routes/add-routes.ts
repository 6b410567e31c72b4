import type { FastifyInstance } from 'fastify';
import { addDashboardRoutes, type DashboardParts } from '../dashboard/dashboard-routes.ts';
import { addBatchRoute } from './batch-route.ts';
import { addCallRoutes } from './call-routes.ts';
import { addEventRoute, type StreamParts } from './event-route.ts';
import { addMessageRoute } from './message-route.ts';

/** Everything that the routes of a node use. */
export interface Door extends StreamParts {
  readonly dashboard: DashboardParts;
  isReady(): boolean;
}

export function addRoutes(app: FastifyInstance, door: Door): void {
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => reply.code(door.isReady() ? 200 : 503).send({ ok: door.isReady() }));
  addCallRoutes(app, door.callers);
  addMessageRoute(app, door.callers);
  addBatchRoute(app, door.callers);
  addEventRoute(app, door);
  addDashboardRoutes(app, door.callers, door.dashboard);
}
