import * as z from 'zod';
import { count, id, instant, taskName } from '../../fields.ts';

/** AOF/1, Artifacts: run_heartbeat.json. */
export const runHeartbeatSchema = z.object({
  taskId: taskName(),
  agentId: id(),
  lastHeartbeat: instant(),
  beatCount: count(),
  expiresAt: instant(),
});

export type RunHeartbeat = z.infer<typeof runHeartbeatSchema>;
