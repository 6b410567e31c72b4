import { readRecord } from './records.ts';
import { type Transport, TransportFault } from './transport.ts';

const KEY = { routing: 'policies.routing', capability: 'policies.capability' } as const;
const PREFIX = { routing: 'rpv', capability: 'cpv' } as const;
export type PolicyName = keyof typeof KEY;
const TRIES_MAX = 8;

/** The versions of the shared policies, which every envelope names (Runtime §1). */
export interface PolicyVersions {
  readonly routingPolicyVersion: string;
  readonly capabilityPolicyVersion: string;
}

/** `cpv_2026_02_25_3`: the third version of a day. */
function nextVersion(name: PolicyName, before: string | null, nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '_');
  const [, lastDay, number] = /^[a-z]+_(\d{4}_\d{2}_\d{2})_(\d+)$/.exec(before ?? '') ?? [];
  return `${PREFIX[name]}_${day}_${lastDay === day ? Number(number) + 1 : 1}`;
}

export async function readPolicies(transport: Transport, nowMs: number): Promise<PolicyVersions> {
  const [routingPolicyVersion, capabilityPolicyVersion] = await Promise.all([
    readOrCreate(transport, 'routing', nowMs),
    readOrCreate(transport, 'capability', nowMs),
  ]);
  return { routingPolicyVersion, capabilityPolicyVersion };
}

async function readOrCreate(transport: Transport, name: PolicyName, nowMs: number): Promise<string> {
  const { version } = readRecord((await transport.get(KEY[name]))?.value ?? '');
  return typeof version === 'string' && version !== '' ? version : await raisePolicy(transport, name, nowMs);
}

/** A new version, after a change that routing depends on. */
export async function raisePolicy(transport: Transport, name: PolicyName, nowMs: number): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const entry = await transport.get(KEY[name]);
    const { version: before } = readRecord(entry?.value ?? '');
    const version = nextVersion(name, typeof before === 'string' ? before : null, nowMs);
    const value = JSON.stringify({ version, updatedAt: new Date(nowMs).toISOString() });
    if ((await transport.put(KEY[name], value, entry?.revision ?? 0)) !== null) return version;
  }
  throw new TransportFault('put', `the policy ${name} is changed by others all the time`);
}
