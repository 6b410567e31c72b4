import assert from 'node:assert/strict';
import { taken } from '../taken.ts';
import { rawExchange, requestText, statusOf } from './raw-http.ts';
import { TestServer, TOKEN } from './test-server.ts';

export const AUTHORIZED = `Authorization: Bearer ${TOKEN}`;

/** A server with short waits, and requests to it as no client would write them. */
export async function openAttacked() {
  const server = await TestServer.open({ waits: { headersMsMax: 300, requestMsMax: 600, checkMs: 50 } });
  const { port } = server.http;
  return {
    server,
    port,
    host: () => `Host: 127.0.0.1:${port}`,
    statusFor: async (line: string, headers: readonly string[], body = ''): Promise<number> =>
      statusOf(await rawExchange(port, requestText(line, headers, body))),
    /** No task was created: nothing got through. */
    assertNothingMade: async (): Promise<void> => {
      assert.deepEqual(taken(await server.client.status()).counts, {});
    },
  };
}
