import type { RequestListener, Server } from 'node:http';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { HTTP_CLOSE_MS_MAX, HTTP_PATH_PART_CHARACTERS_MAX } from '../../domain/http-limits.ts';
import { HTTP_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { refuseConnection, type UnauthenticatedConnections } from './make-server.ts';
import { addRoutes, type Door } from './routes/add-routes.ts';
import { sendDoorError, sendFault, sendRefusal } from './send-answer.ts';

/** The routes; the server below has admitted the request already. */
export function makeApp(door: Door, makeServer: (listener: RequestListener) => Server): FastifyInstance {
  const app = fastify({
    serverFactory: (listener) => makeServer(listener as RequestListener),
    bodyLimit: HTTP_BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: HTTP_PATH_PART_CHARACTERS_MAX },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket),
    frameworkErrors: (_error, _request, reply) => sendDoorError(reply as FastifyReply, 'bad_request'),
  });
  // A body is bytes until a route reads it, under the limits of json-text.ts.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const known = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    known.set(url, [...(known.get(url) ?? []), String(method)]);
  });
  addRoutes(app, door);
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsAt(known, request.url);
    if (methods.length === 0) return sendDoorError(reply, 'route_not_found');
    return sendDoorError(reply.header('allow', methods.join(', ')), 'method_not_allowed');
  });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error as FastifyError, door));
  return app;
}

/** The methods of every route that has this path. */
function methodsAt(known: ReadonlyMap<string, readonly string[]>, url: string): readonly string[] {
  const parts = (url.split('?')[0] ?? '').split('/');
  return [...known].flatMap(([route, methods]) => {
    const names = route.split('/');
    const fits =
      names.length === parts.length &&
      names.every((name, at) => name === parts[at] || (name.startsWith(':') && parts[at]));
    return fits ? methods : [];
  });
}

function sendError(reply: FastifyReply, error: FastifyError, { onFault }: Door): FastifyReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return sendRefusal(reply, refuse('payload_too_large', `a body has at most ${HTTP_BODY_BYTES_MAX} bytes`));
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return sendDoorError(reply, 'unsupported_content_type');
  if (error.statusCode !== undefined && error.statusCode < 500) return sendDoorError(reply, 'bad_request');
  onFault(error);
  return sendFault(reply, error);
}

/** Accepts no new requests, gives running ones 3 s to finish, then closes their connections. */
export async function closeApp(app: FastifyInstance, unauthenticated: UnauthenticatedConnections): Promise<void> {
  const closed = app.close();
  if (!(await waitAtMost(closed, HTTP_CLOSE_MS_MAX))) {
    app.server.closeAllConnections();
    unauthenticated.closeAll();
  }
  await closed;
}
