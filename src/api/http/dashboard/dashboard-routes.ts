import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import { specOf } from '../../calls.ts';
import type { DashboardLink } from '../../contract.ts';
import { sendHttpError } from '../send-answer.ts';
import { DashboardAccess } from './dashboard-access.ts';
import { type DashboardFile, DashboardFiles } from './dashboard-files.ts';
import { ASSET_ROUTES, PAGE_ROUTES, pathOf } from './dashboard-paths.ts';

/** The dashboard of one node: who may use it, and its files. */
export class DashboardParts {
  readonly access: DashboardAccess;
  readonly files = new DashboardFiles();
  /** The address of the node, once it listens. */
  url = '';

  constructor(clock: Clock) {
    this.access = new DashboardAccess(clock);
  }

  link(): DashboardLink {
    return this.access.createLink(this.url);
  }
}

/** Nothing but files of this node is loaded, no text becomes a script, and no other page frames it. */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;
const LASTING = 'private, max-age=31536000, immutable';

/** The pages, the files that they load, and the way from a link to a token. */
export function addDashboardRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const { path, status = 200 } = specOf('exchangeLink');
  app.post(path, async (request, reply) => {
    const code = request.headers['baton-link'];
    const exchanged = parts.access.exchange(typeof code === 'string' ? code : '');
    if (exchanged.kind !== 'token') return sendHttpError(reply, exchanged.kind);
    return reply.code(status).send({ token: exchanged.token });
  });
  const method = ['GET', 'HEAD'];
  for (const url of PAGE_ROUTES) {
    app.route({ method, url, handler: (request, reply) => sendPage(request, reply, parts.files.page()) });
  }
  for (const url of ASSET_ROUTES) {
    const handler = (request: FastifyRequest, reply: FastifyReply) => {
      const file = parts.files.asset(pathOf(request.url));
      return file === null ? sendHttpError(reply, 'route_not_found') : sendFile(request, reply, file);
    };
    app.route({ method, url, handler });
  }
}

export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: DashboardFile | null,
): Promise<FastifyReply> {
  return page === null ? sendHttpError(reply, 'dashboard_missing') : await sendFile(request, reply, page);
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: DashboardFile): Promise<FastifyReply> {
  reply.headers(PAGE_HEADERS).header('content-type', file.type).header('vary', 'accept-encoding');
  if (file.isLasting) reply.header('cache-control', LASTING);
  return reply.send(await bodyOf(request, reply, file));
}

async function bodyOf(request: FastifyRequest, reply: FastifyReply, file: DashboardFile): Promise<Buffer> {
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return file.bytes;
  reply.header('content-encoding', 'gzip');
  return await file.gzipped();
}
