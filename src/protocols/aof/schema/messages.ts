import type * as z from 'zod';
import { completionReportSchema } from './completion-report.ts';
import { handoffAcceptedSchema } from './handoff-accepted.ts';
import { handoffRejectedSchema } from './handoff-rejected.ts';
import { handoffRequestSchema } from './handoff-request.ts';
import { statusUpdateSchema } from './status-update.ts';

/** The five types of AOF/1, in the order of the document's table. */
export const MESSAGE_SCHEMAS = {
  'completion.report': completionReportSchema,
  'status.update': statusUpdateSchema,
  'handoff.request': handoffRequestSchema,
  'handoff.accepted': handoffAcceptedSchema,
  'handoff.rejected': handoffRejectedSchema,
} as const;

export type AofEnvelope = z.infer<(typeof MESSAGE_SCHEMAS)[keyof typeof MESSAGE_SCHEMAS]>;
