import { X509Certificate } from 'node:crypto';
import type { HttpServerParts } from '../api/http/start-http-server.ts';
import { isRefusal } from '../domain/refusal.ts';
import { FolderFault } from '../platform/files/data-folder.ts';
import { removeNodeFile, writeNodeFile } from '../platform/files/node-file.ts';
import { randomSecret } from '../platform/secret.ts';
import type { OpenServer } from './server-on-demand.ts';

export interface ServerOptions extends Omit<HttpServerParts, 'token' | 'isReady'> {
  readonly dataFolder: string;
  /** Whether the node can serve requests. */
  isSound(): boolean;
}

/** Starts the HTTP server with a new token, and writes node.json when it listens. */
export async function openServer({ dataFolder, isSound, ...parts }: ServerOptions): Promise<OpenServer> {
  const token = randomSecret();
  let isReady = false;
  const server = await listen({ ...parts, token, isReady: () => isReady && isSound() });
  const certSha256 = parts.tls && new X509Certificate(parts.tls.cert).fingerprint256;
  const file = writeNodeFile(dataFolder, { url: server.url, token, ...(certSha256 && { certSha256 }) });
  isReady = true;
  return {
    file,
    agents: server.agents,
    link: () => server.link(),
    isLinkUsed: (id) => server.isLinkUsed(id),
    close: async () => {
      isReady = false;
      // First, so that new commands wait for the lock instead of connecting.
      removeNodeFile(dataFolder);
      await server.close();
    },
  };
}

async function listen(parts: HttpServerParts) {
  const { startHttpServer } = await import('../api/http/start-http-server.ts');
  const server = await startHttpServer(parts).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRNOTAVAIL')
      throw new FolderFault('address_unusable', `${parts.host} is not an address of this machine`, 'correct http.host');
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    const message = `cannot bind port ${parts.port} of ${parts.host} (${error.code})`;
    throw new FolderFault('port_in_use', message, 'baton up --port 0 picks a free port');
  });
  if (isRefusal(server)) throw new Error(server.message);
  return server;
}
