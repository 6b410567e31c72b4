import type { FastifyInstance } from 'fastify';
import { addExternalRoutes, type ExternalRouteParts } from '../../external/external-routes.ts';
import { addDashboardRoutes, type DashboardParts } from '../dashboard/dashboard-routes.ts';
import { addBatchRoute } from './batch-route.ts';
import { addCallRoutes } from './call-routes.ts';
import { addEventRoute } from './event-route.ts';
import { addMessageRoute } from './message-route.ts';

/** Everything that the routes of a node use. */
export interface RouteParts extends ExternalRouteParts {
  readonly dashboard: DashboardParts;
  isReady(): boolean;
}

export function addRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => reply.code(parts.isReady() ? 200 : 503).send({ ok: parts.isReady() }));
  addCallRoutes(app, parts.callers);
  addMessageRoute(app, parts.callers);
  addBatchRoute(app, parts.callers);
  addEventRoute(app, parts);
  addDashboardRoutes(app, parts.dashboard);
  addExternalRoutes(app, parts);
}
