import * as z from 'zod';
import type { AgentStats } from '../../domain/agent/agent-stats.ts';
import { sessionLines } from '../session/session-schemas.ts';
import { anyText, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import { attentionList, verdictFields } from '../task/waiting-schemas.ts';
import type * as api from './report-contract.ts';

const amount = z.number();
const ends = z.array(
  shape<api.ReportedEnd>({
    id: anyText,
    title: anyText,
    agent: anyText,
    sessionId: nullableText,
    ...verdictFields,
    code: nullableText,
    message: anyText,
    work: nullableText,
    costUsd: amount,
    endedAt: anyText,
  }),
);

export const REPORT_SCHEMAS = {
  /** Instants; until is the caller's own. */
  DayReportRequest: z.object({ since: z.iso.datetime({ offset: true }), until: z.iso.datetime({ offset: true }) }),
  DayReportAnswer: shape<api.DayReportAnswer>({
    since: anyText,
    until: anyText,
    done: ends,
    unproven: ends,
    notDone: ends,
    running: wholeNumber,
    waiting: wholeNumber,
    sessions: sessionLines,
    cost: z.object({
      usd: amount,
      tokensInput: wholeNumber,
      tokensOutput: wholeNumber,
      byProvider: z.record(z.string(), amount),
      byModel: z.record(z.string(), amount),
    }),
    asleepMs: wholeNumber,
    attention: attentionList,
    toApply: texts,
  }),
  AgentStatsAnswer: shape<api.AgentStatsAnswer>({
    stats: z.array(
      shape<AgentStats>({
        agent: anyText,
        category: nullableText,
        repository: nullableText,
        orders: wholeNumber,
        successRate: amount,
        firstTryRate: amount,
        medianSeconds: amount,
        medianCostUsd: amount.nullable(),
      }),
    ),
  }),
} as const;
