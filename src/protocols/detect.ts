import { isJsonObject, type JsonObject } from '../domain/words/json-object.ts';
import { PROTOCOL_NAMES, type ProtocolName } from './codec.ts';

export const AOF_PREFIX = 'AOF/1 ';

/** common:markers: the markers of each protocol. They are cheap to test, so only the codec that is needed is loaded. */
const MARKERS: Record<ProtocolName, (value: JsonObject) => boolean> = {
  aop: (value) => typeof value.aop_version === 'string' && value.aop_version.startsWith('2.'),
  aof: (value) => value.protocol === 'aof',
  afp: (value) =>
    has(value, 'artifact') ||
    has(value, 'applied_feedback') ||
    (has(value, 'protocol_version') && has(value, 'iteration')) ||
    (has(value, 'type') && has(value, 'sessionID')),
  saop: (value) => has(value, 'turn_index') || (has(value, 'event_id') && has(value, 'payload')),
  runtime: (value) =>
    (has(value, 'seq') && has(value, 'kind')) ||
    has(value, 'eventId') ||
    has(value, 'capabilityId') ||
    has(value, 'consumerNodeId') ||
    has(value, 'reviewId'),
};

/** The order in which protocols are tried for a text without a named one: the first match counts. */
const DETECTION_ORDER: readonly ProtocolName[] = ['aop', 'aof', 'afp', 'saop', 'runtime'];

export function hasMarker(protocol: ProtocolName, value: unknown): boolean {
  return isJsonObject(value) && MARKERS[protocol](value);
}

export function detectProtocol(value: unknown): ProtocolName | null {
  return DETECTION_ORDER.find((protocol) => hasMarker(protocol, value)) ?? null;
}

export function isProtocolName(name: string): name is ProtocolName {
  return (PROTOCOL_NAMES as readonly string[]).includes(name);
}

function has(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key);
}
