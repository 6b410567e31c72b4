import assert from 'node:assert/strict';
import { outcome, type ProofParts } from './external-client.ts';
import { ExternalDaemon } from './external-daemon.ts';

export const PATH = '/v1/external/invoke';
export const BODY = JSON.stringify({ operation: 'status.read' });

/** A real node with an enrolled agent, and calls of it whose proofs can be spoiled. */
export async function proofStage(folder: string) {
  const node = await ExternalDaemon.start(folder);
  const agent = await node.enrol('outsider');

  /** A proof for a call that is right in every part, but for what is given. */
  async function proof(parts: Partial<ProofParts> = {}): Promise<string> {
    const url = `${agent.url}${PATH}`;
    return await agent.proof({ method: 'POST', url, body: BODY, token: agent.access, ...parts });
  }

  async function send(dpop: string | string[], headers: Record<string, string> = {}): Promise<string> {
    const authorization = `DPoP ${agent.access}`;
    return outcome(await agent.raw(PATH, { authorization, dpop: dpop as string, ...headers }, BODY));
  }

  async function assertStillWorks(): Promise<void> {
    assert.equal(await send(await proof()), 'ok');
  }

  return { node, agent, proof, send, assertStillWorks };
}
