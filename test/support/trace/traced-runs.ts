import assert from 'node:assert/strict';
import type { TraceEntryView } from '../../../src/api/trace/trace-contract.ts';
import { TestServer } from '../node/test-server.ts';
import { taken } from '../taken.ts';

/** A node with tasks whose agent sends turns and events. */
export class TracedRuns {
  readonly server: TestServer;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async open(): Promise<TracedRuns> {
    return new TracedRuns(await TestServer.open({ isTreeless: true }));
  }

  /** A task that `swe` has claimed. */
  async claimed() {
    const { local: client } = this.server;
    const { id } = taken(await client.createTask({ title: 'Traced', agent: 'swe' }));
    const { run } = taken(await client.claimTask({ task: id, agent: 'swe' }));
    const send = (text: string) => client.send({ text, run: run.id });
    const told = async (...texts: readonly string[]) => {
      for (const text of texts) assert.equal((await send(text)).verdict, 'accepted', text);
    };
    return { id, run, send, told, end: () => client.endTask({ task: id, agent: 'swe' }) };
  }

  async traceOf(task: string, more: object = {}): Promise<string[]> {
    return taken(await this.server.local.readTrace({ task, ...more })).entries.map(brief);
  }
}

/** An entry in short. */
function brief({ type, message }: TraceEntryView): string {
  const { payload, turn_index: index } = message as { payload?: Record<string, unknown>; turn_index?: number };
  if (!payload) return `turn ${index}`;
  switch (type) {
    case 'THOUGHT_STREAM':
      return `${payload.turn_index} ${JSON.stringify(payload.chunk)}${payload.is_final ? ' final' : ''}`;
    case 'TASK_TRANSITION':
      return `${payload.from_state} to ${payload.to_state}`;
    default:
      return `${type.split('_').at(-1)} ${payload.call_id}${payload.status ? ` ${payload.status}` : ''}`;
  }
}
