import { writeJson } from '../write-json.ts';
import { AOF_SCHEMAS, type AofMessage } from './kinds.ts';
import type { AofArtifact } from './schema/files.ts';
import { writeTaskFile } from './task-file.ts';

const FILE_INDENT_SPACES = 2;

/** Writes messages and event lines on one line, the files of a run as the document shows them. */
export function encodeAof(message: AofMessage): string {
  if ('frontMatter' in message) return writeTaskFile(message);
  if ('protocol' in message) return writeJson(AOF_SCHEMAS[message.type], message);
  const kind = artifactKindOf(message);
  if (kind === 'event') return writeJson(AOF_SCHEMAS.event, message);
  return `${writeJson(AOF_SCHEMAS[kind], message, FILE_INDENT_SPACES)}\n`;
}

/** Each has a required field that the others lack. */
function artifactKindOf(artifact: AofArtifact) {
  if ('eventId' in artifact) return 'event';
  if ('parentTaskId' in artifact) return 'handoff';
  if ('completedAt' in artifact) return 'run_result';
  return 'lastHeartbeat' in artifact ? 'run_heartbeat' : 'run';
}
