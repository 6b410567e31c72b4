import type { AofFileKind } from '../file-kinds.ts';
import { type AofEvent, eventSchema } from './event.ts';
import { type Handoff, handoffSchema } from './handoff-request.ts';
import { type Run, runSchema } from './run.ts';
import { type RunHeartbeat, runHeartbeatSchema } from './run-heartbeat.ts';
import { type RunResult, runResultSchema } from './run-result.ts';
import { type TaskFile, taskFrontMatterSchema } from './task.ts';

/** What lies in the tree of tasks and runs. Of a task file it is the front matter that has a shape. */
export const FILE_SCHEMAS = {
  run: runSchema,
  run_heartbeat: runHeartbeatSchema,
  run_result: runResultSchema,
  handoff: handoffSchema,
  task: taskFrontMatterSchema,
  event: eventSchema,
} as const satisfies Record<AofFileKind, unknown>;

export type AofArtifact = Run | RunHeartbeat | RunResult | Handoff | AofEvent;

export type AofFile = AofArtifact | TaskFile;
