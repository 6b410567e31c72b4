import type { AnsweredName } from '../api/calls.ts';
import { EXTERNAL_CALLS } from '../api/external/external-call-table.ts';
import { FEDERATION_CALLS } from '../api/federation/federation-call-table.ts';
import { type AnyCall, type Calls, callNamed } from '../api/node-client.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ExternalCallParts, ExternalCalls } from './external/external-calls.ts';
import type { FederationAccess, FederationCalls } from './federation/federation-calls.ts';
import type { RightsParts } from './rights-parts.ts';

// Calls behind an import of their own: a node without other machines and without external agents, and a command that makes no
// such call, needs none of it.

export interface OnDemandParts extends ExternalCallParts {
  readonly federation: FederationAccess;
}

export function federationCallsOf({ federation, ledger }: OnDemandParts): FederationCalls {
  const loaded = async () => (await import('./federation/federation-calls.ts')).federationCalls(federation, ledger);
  return callsOnDemand(Object.keys(FEDERATION_CALLS) as (keyof FederationCalls)[], loaded);
}

export function externalCallsOf(parts: OnDemandParts): ExternalCalls {
  const loaded = async () => (await import('./external/external-calls.ts')).externalCalls(parts);
  return callsOnDemand(Object.keys(EXTERNAL_CALLS) as (keyof ExternalCalls)[], loaded);
}

export function revokerOf(ledger: Ledger): RightsParts['revokeAs'] {
  return async (who, actor) => await (await import('./external/external-calls.ts')).revokeAs(ledger, who, actor);
}

function callsOnDemand<Name extends AnsweredName>(
  names: readonly Name[],
  loaded: () => Promise<Pick<Calls, Name>>,
): Pick<Calls, Name> {
  const calls = names.map((name) => {
    const call: AnyCall = async (request, options) => await callNamed(await loaded(), name)(request, options);
    return [name, call];
  });
  return Object.fromEntries(calls) as Pick<Calls, Name>;
}
