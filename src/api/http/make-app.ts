import type { RequestListener, Server } from 'node:http';
import fastify, { type FastifyError, type FastifyReply } from 'fastify';
import { HTTP_PATH_PART_CHARACTERS_MAX } from '../../domain/http-limits.ts';
import { HTTP_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { isLost } from './dashboard/dashboard-paths.ts';
import { sendPage } from './dashboard/dashboard-routes.ts';
import { addRoutes, type RouteParts } from './routes/add-routes.ts';
import { sendFault, sendHttpError, sendRefusal } from './send-answer.ts';

export interface App {
  readonly listener: RequestListener;
  /** From here on each answer ends its connection. The server is not closed. */
  close(): Promise<void>;
}

/** The routes for requests that `server` has admitted; it listens already. */
export async function makeApp(routeParts: RouteParts, server: Server): Promise<App> {
  const { promise, resolve } = Promise.withResolvers<RequestListener>();
  const app = fastify({
    serverFactory: (listener) => {
      resolve(listener);
      return server;
    },
    bodyLimit: HTTP_BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: HTTP_PATH_PART_CHARACTERS_MAX },
    clientErrorHandler: () => {
      // The server answers them itself, before there is an app too.
    },
    frameworkErrors: (_error, _request, reply) => sendHttpError(reply as FastifyReply, 'bad_request'),
  });
  // A body is bytes until a route reads it, under the limits of json-text.ts.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const known = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    known.set(url, [...(known.get(url) ?? []), String(method)]);
  });
  addRoutes(app, routeParts);
  app.setNotFoundHandler((request, reply) => {
    if (isLost(request.raw)) return sendPage(request, reply.code(404), routeParts.dashboard.files.page());
    const methods = methodsAt(known, request.url);
    if (methods.length === 0) return sendHttpError(reply, 'route_not_found');
    return sendHttpError(reply.header('allow', methods.join(', ')), 'method_not_allowed');
  });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error as FastifyError, routeParts));
  await app.ready();
  return { listener: await promise, close: async () => await app.close() };
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

function sendError(reply: FastifyReply, error: FastifyError, { onFault }: RouteParts): FastifyReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return sendRefusal(reply, refuse('payload_too_large', `a body has at most ${HTTP_BODY_BYTES_MAX} bytes`));
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return sendHttpError(reply, 'unsupported_content_type');
  if (error.statusCode !== undefined && error.statusCode < 500) return sendHttpError(reply, 'bad_request');
  onFault(error);
  return sendFault(reply, error);
}
