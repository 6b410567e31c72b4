import assert from 'node:assert/strict';
import { ANSWERED_NAMES, type AnsweredName, specOf } from '../../../src/api/calls.ts';
import { type AnyCall, callNamed, type NodeClient } from '../../../src/api/node-client.ts';
import { SCHEMAS } from '../../../src/api/schemas.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { findUnknownFields } from '../../../src/protocols/unknown-fields.ts';
import { completion, SENT_AT } from '../task/task-life.ts';
import { TestServer } from './test-server.ts';

interface Opened {
  readonly client: NodeClient;
  readonly folder: string;
  /** The calls made so far. */
  readonly called: ReadonlySet<string>;
}

/** Both ways of talking to a node; each opens a node of its own. */
export const CLIENTS: Readonly<Record<string, () => Promise<Opened>>> = {
  'in process': async () => opened(await TestServer.open(), (server) => server.local),
  'over HTTP': async () => opened(await TestServer.open(), (server) => server.client),
};

function opened(server: TestServer, choose: (server: TestServer) => NodeClient): Opened {
  const called = new Set<string>();
  const client = new Proxy(choose(server), {
    get: (target, name) => {
      called.add(String(name));
      return ANSWERED_NAMES.includes(name as AnsweredName)
        ? checked(target, name as AnsweredName)
        : target[name as keyof NodeClient];
    },
  });
  return { client, folder: server.at.folder, called };
}

/** Every answer fits the schema that the table of calls names for it, without a field that the schema does not have. */
function checked(client: NodeClient, name: AnsweredName): AnyCall {
  return async (request, options) => {
    const answer = await callNamed(client, name)(request, options);
    if (isRefusal(answer)) return answer;
    const schema = SCHEMAS[specOf(name).answer];
    const parsed = schema.safeParse(answer);
    assert.ok(parsed.success, `${name}: ${parsed.error?.message}`);
    assert.deepEqual(findUnknownFields(schema, answer), [], name);
    return answer;
  };
}

export function report(taskId: string, fromAgent = 'swe-backend'): string {
  const head = { protocol: 'aof', version: 1, type: 'completion.report', taskId, fromAgent, toAgent: 'dispatcher' };
  return JSON.stringify({ ...head, sentAt: SENT_AT, payload: completion('done') });
}
