import type { VersionFallback } from '../../domain/execution/fact.ts';
import { AOP_INPUT_PREVIEW_CHARACTERS } from '../../domain/federation/message-limits.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import type { Problem } from '../codec.ts';
import { id } from '../fields.ts';
import { featuresLostInV1 } from './v1-prompt.ts';

const idSchema = id();

export interface FallbackFacts {
  readonly reason: VersionFallback['reason'];
  /** The message as read, whatever its shape; null where it does not parse. */
  readonly value: unknown;
  readonly text: string;
  readonly errors: readonly Problem[];
  /** RFC 3339, from the caller's clock. */
  readonly timestamp: string;
}

/** The notice to a sender that its message falls back to v1, with the reasons and what that costs. */
export function noteFallback({ reason, value, text, errors, timestamp }: FallbackFacts): VersionFallback {
  const message = isJsonObject(value) ? value : {};
  return {
    reason,
    sessionId: readableId(message.session, 'session_id'),
    taskId: readableId(message.task, 'task_id'),
    fromVersion: typeof message.aop_version === 'string' ? message.aop_version : 'unknown',
    errors: errors.map(({ path, message: sentence }) => ({ path, message: sentence })),
    inputPreview: [...text.slice(0, 2 * AOP_INPUT_PREVIEW_CHARACTERS)].slice(0, AOP_INPUT_PREVIEW_CHARACTERS).join(''),
    featuresLost: featuresLostInV1(message),
    timestamp,
  };
}

function readableId(parent: unknown, key: string): string | null {
  const found = idSchema.safeParse(isJsonObject(parent) ? parent[key] : undefined);
  return found.success ? found.data : null;
}
