import * as z from 'zod';
import { count, flag, nullableText, shape, text, texts } from '../shape.ts';
import { lineFields, runView, statusCounts, statusMoves } from '../task/task-schemas.ts';
import { attentionFields, overlaps, remote, verdictFields, wait } from '../task/waiting-schemas.ts';
import type * as api from './overview-contract.ts';

const money = z.number();
const lines = z.object({ added: count, removed: count });

const workSummary = shape<api.WorkSummary>({
  agent: text,
  model: text,
  ...verdictFields,
  message: text,
  account: nullableText,
  checks: z.object({ passed: count, total: count }),
  files: count,
  lines: lines.nullable(),
  judgingFiles: texts,
  durationMs: z.number(),
  costUsd: money,
  tokens: count,
  endedAt: text,
});

const modelSpend = shape<api.ModelSpend>({
  agent: text,
  model: text,
  usd: money,
  tokensInput: count,
  tokensOutput: count,
  runs: count,
});

const needsYou = shape<api.NeedsYou>({
  ...attentionFields,
  line: z.object(lineFields).nullable(),
  work: workSummary.nullable(),
  reviews: z.array(
    z.object({
      feedback: text,
      reviewers: texts,
      isByPerson: flag,
      state: z.enum(['asking', 'deciding', 'fixing', 'waiting', 'over']),
      round: count,
      roundsMax: count,
      fates: z.object({ open: count, disputed: count, rejected: count, partial: count, accepted: count }),
      text,
    }),
  ),
});

const running = shape<api.RunningTask>({
  ...lineFields,
  run: runView.nullable(),
  remote: remote.nullable(),
  lastLine: nullableText,
  progress: z.object({ percentage: z.number().nullable(), phase: nullableText, text }).nullable(),
  spend: z.object({ costUsd: money, tokens: count }).nullable(),
  size: z.object({ files: count, added: count, removed: count }).nullable(),
  overlaps,
  model: nullableText,
  endsAt: nullableText,
  attempt: count,
  attempts: count,
});

const agentState = shape<api.AgentState>({
  name: text,
  driver: text,
  model: text,
  isDefault: flag,
  running: count,
  outUntil: nullableText,
  outBecause: nullableText,
});

export const OVERVIEW_SCHEMAS = {
  SearchRequest: z.object({
    /** Words of a title, a number, or a part of a path. */
    text,
  }),
  SearchAnswer: shape<api.SearchAnswer>({
    tasks: z.array(z.object(lineFields)),
    files: z.array(
      shape<api.FoundFile>({
        path: text,
        status: text,
        task: text,
        title: text,
        agent: nullableText,
        at: text,
      }),
    ),
    lookedAt: count,
  }),
  Overview: shape<api.Overview>({
    data: text,
    workspace: text,
    at: text,
    project: text,
    lastEvent: count,
    counts: statusCounts,
    moves: statusMoves,
    spend: shape<api.SpendToday>({
      since: text,
      usd: money,
      usdMax: money.nullable(),
      byModel: z.array(modelSpend),
    }),
    agents: z.array(agentState),
    needsYou: z.array(needsYou),
    running: z.array(running),
    waiting: z.array(
      shape<api.WaitingTask>({ ...lineFields, ...wait, after: z.array(z.object({ id: text, title: text })) }),
    ),
    finished: z.array(shape<api.FinishedTask>({ ...lineFields, summary: workSummary })),
    totals: z.object({ needsYou: count, running: count, waiting: count, finished: count }),
  }),
} as const;
