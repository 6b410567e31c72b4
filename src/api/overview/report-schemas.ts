import * as z from 'zod';
import type { AgentStats } from '../../domain/agent/agent-stats.ts';
import { sessionLines } from '../session/session-schemas.ts';
import { count, nullableText, shape, text, texts } from '../shape.ts';
import { attentionList, verdictFields } from '../task/waiting-schemas.ts';
import type * as api from './report-contract.ts';

const amount = z.number();
const ends = z.array(
  shape<api.ReportedEnd>({
    id: text,
    title: text,
    agent: text,
    sessionId: nullableText,
    ...verdictFields,
    code: nullableText,
    message: text,
    work: nullableText,
    costUsd: amount,
    endedAt: text,
  }),
);

export const REPORT_SCHEMAS = {
  /** Instants; until is the caller's own. */
  DayReportRequest: z.object({ since: z.iso.datetime({ offset: true }), until: z.iso.datetime({ offset: true }) }),
  DayReportAnswer: shape<api.DayReportAnswer>({
    since: text,
    until: text,
    done: ends,
    unproven: ends,
    notDone: ends,
    running: count,
    waiting: count,
    sessions: sessionLines,
    cost: z.object({
      usd: amount,
      tokensInput: count,
      tokensOutput: count,
      byProvider: z.record(z.string(), amount),
      byModel: z.record(z.string(), amount),
    }),
    asleepMs: count,
    attention: attentionList,
    toApply: texts,
  }),
  AgentStatsAnswer: shape<api.AgentStatsAnswer>({
    stats: z.array(
      shape<AgentStats>({
        agent: text,
        category: nullableText,
        repository: nullableText,
        orders: count,
        successRate: amount,
        firstTryRate: amount,
        medianSeconds: amount,
        medianCostUsd: amount.nullable(),
      }),
    ),
  }),
} as const;
