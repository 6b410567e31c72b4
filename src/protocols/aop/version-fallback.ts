import { AOP_INPUT_PREVIEW_CHARACTERS } from '../../domain/limits.ts';
import type { Problem } from '../codec.ts';
import { id } from '../fields.ts';
import { isJsonObject } from '../json-text.ts';
import type { VersionFallbackEvent } from './schema/events.ts';
import { featuresLostInV1 } from './v1-prompt.ts';

const idSchema = id();

export interface FallbackFacts {
  readonly reason: 'V2_SCHEMA_VALIDATION_FAILED' | 'AGENT_LACKS_V2';
  /** The message as read, whatever its shape; null where it does not parse. */
  readonly value: unknown;
  readonly text: string;
  readonly errors: readonly Problem[];
  /** RFC 3339, from the caller's clock. */
  readonly timestamp: string;
}

/** AOP §1.3: says that a message goes on as v1, why, and what that costs. */
export function makeVersionFallback(facts: FallbackFacts): VersionFallbackEvent {
  const message = isJsonObject(facts.value) ? facts.value : {};
  const sessionId = readableId(message.session, 'session_id');
  const taskId = readableId(message.task, 'task_id');
  return {
    aop_version: '2.0.2-C',
    message_type: 'EVENT',
    event: 'VERSION_FALLBACK',
    ...(sessionId !== null && { session_id: sessionId }),
    ...(taskId !== null && { task_id: taskId }),
    timestamp: facts.timestamp,
    reason: facts.reason,
    from_version: typeof message.aop_version === 'string' ? message.aop_version : 'unknown',
    to_version: '1.x',
    errors: facts.errors.map(({ path, message: sentence }) => ({ path, message: sentence })),
    input_preview: [...facts.text.slice(0, 2 * AOP_INPUT_PREVIEW_CHARACTERS)]
      .slice(0, AOP_INPUT_PREVIEW_CHARACTERS)
      .join(''),
    features_lost: featuresLostInV1(message),
  };
}

function readableId(parent: unknown, key: string): string | null {
  const found = idSchema.safeParse(isJsonObject(parent) ? parent[key] : undefined);
  return found.success ? found.data : null;
}
