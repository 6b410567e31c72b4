import type { FastifyInstance } from 'fastify';
import { HTTP_CLOSE_MS_MAX } from '../../domain/limits.ts';
import { waitAtMost } from '../../platform/wait-at-most.ts';
import type { Strangers } from './strangers.ts';

/** Takes nothing new, lets what is under way finish for 3 s, then ends it. */
export async function closeApp(app: FastifyInstance, strangers: Strangers): Promise<void> {
  const closed = app.close();
  if (!(await waitAtMost(closed, HTTP_CLOSE_MS_MAX))) {
    app.server.closeAllConnections();
    strangers.sendAllAway();
  }
  await closed;
}
