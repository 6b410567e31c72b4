import * as z from 'zod';
import { anyText, bool, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import { lineFields, runView, statusCounts, statusMoves } from '../task/task-schemas.ts';
import { attentionFields, overlaps, remote, verdictFields, wait } from '../task/waiting-schemas.ts';
import type * as api from './overview-contract.ts';

const money = z.number();
const lines = z.object({ added: wholeNumber, removed: wholeNumber });

const workSummary = shape<api.WorkSummary>({
  agent: anyText,
  model: anyText,
  ...verdictFields,
  message: anyText,
  account: nullableText,
  checks: z.object({ passed: wholeNumber, total: wholeNumber }),
  files: wholeNumber,
  lines: lines.nullable(),
  judgingFiles: texts,
  durationMs: z.number(),
  costUsd: money,
  tokens: wholeNumber,
  endedAt: anyText,
});

const modelSpend = shape<api.ModelSpend>({
  agent: anyText,
  model: anyText,
  usd: money,
  tokensInput: wholeNumber,
  tokensOutput: wholeNumber,
  runs: wholeNumber,
});

const needsYou = shape<api.NeedsYou>({
  ...attentionFields,
  line: z.object(lineFields).nullable(),
  work: workSummary.nullable(),
  reviews: z.array(
    z.object({
      feedback: anyText,
      reviewers: texts,
      isByPerson: bool,
      state: z.enum(['asking', 'deciding', 'fixing', 'waiting', 'over']),
      round: wholeNumber,
      roundsMax: wholeNumber,
      fates: z.object({
        open: wholeNumber,
        disputed: wholeNumber,
        rejected: wholeNumber,
        partial: wholeNumber,
        accepted: wholeNumber,
      }),
      text: anyText,
    }),
  ),
});

const running = shape<api.RunningTask>({
  ...lineFields,
  run: runView.nullable(),
  remote: remote.nullable(),
  lastLine: nullableText,
  progress: z.object({ percentage: z.number().nullable(), phase: nullableText, text: anyText }).nullable(),
  spend: z.object({ costUsd: money, tokens: wholeNumber }).nullable(),
  size: z.object({ files: wholeNumber, added: wholeNumber, removed: wholeNumber }).nullable(),
  overlaps,
  model: nullableText,
  endsAt: nullableText,
  attempt: wholeNumber,
  attempts: wholeNumber,
});

const agentState = shape<api.AgentState>({
  name: anyText,
  driver: anyText,
  model: anyText,
  isDefault: bool,
  running: wholeNumber,
  outUntil: nullableText,
  outBecause: nullableText,
});

export const OVERVIEW_SCHEMAS = {
  SearchRequest: z.object({
    /** Words of a title, a number, or a part of a path. */
    text: anyText,
  }),
  SearchAnswer: shape<api.SearchAnswer>({
    tasks: z.array(z.object(lineFields)),
    files: z.array(
      shape<api.FoundFile>({
        path: anyText,
        status: anyText,
        task: anyText,
        title: anyText,
        agent: nullableText,
        at: anyText,
      }),
    ),
    lookedAt: wholeNumber,
  }),
  Overview: shape<api.Overview>({
    data: anyText,
    workspace: anyText,
    at: anyText,
    project: anyText,
    lastEvent: wholeNumber,
    counts: statusCounts,
    moves: statusMoves,
    spend: shape<api.SpendToday>({
      since: anyText,
      usd: money,
      usdMax: money.nullable(),
      byModel: z.array(modelSpend),
    }),
    agents: z.array(agentState),
    needsYou: z.array(needsYou),
    running: z.array(running),
    waiting: z.array(
      shape<api.WaitingTask>({ ...lineFields, ...wait, after: z.array(z.object({ id: anyText, title: anyText })) }),
    ),
    finished: z.array(shape<api.FinishedTask>({ ...lineFields, summary: workSummary })),
    totals: z.object({ needsYou: wholeNumber, running: wholeNumber, waiting: wholeNumber, finished: wholeNumber }),
  }),
} as const;
