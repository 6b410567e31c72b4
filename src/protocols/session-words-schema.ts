import * as z from 'zod';
import { RETRIES_ASKED_MAX, SLOTS_SETTING_MAX } from '../domain/limits.ts';
import { ID_CHARACTERS_MAX } from '../domain/message-limits.ts';
import { SESSION_PATTERNS } from '../domain/session-terms.ts';
import { PRIORITIES } from '../domain/task.ts';
import { patterned, text, textUpTo } from './fields.ts';
import type { MessageKind } from './judge-value.ts';

// The short form of a session for people: YAML with the words of each task. Keys are snake_case, as users write them.

const DURATION = /^\d{1,7}[smhd]?$/;
const duration = patterned(DURATION, 'duration');
const name = textUpTo(ID_CHARACTERS_MAX);
const amount = z.number().min(0).max(1_000_000);
const ON_FAILURE = ['continue', 'abort_session', 'retry'] as const;

const task = z.object({
  /** Other tasks name it by this in `after`. */
  name,
  words: text(),
  agent: text().optional(),
  check: z.array(text()).optional(),
  after: z.array(name).optional(),
  parent: name.optional(),
  priority: z.enum(PRIORITIES).optional(),
  timeout: duration.optional(),
  retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
  budget: amount.optional(),
  on_failure: z.enum(ON_FAILURE).optional(),
});

const session = z.object({
  $schema: text().optional(),
  name: textUpTo(200).optional(),
  /** The session_id; made up where it is absent. */
  session: name.optional(),
  pattern: z.enum(SESSION_PATTERNS.map((pattern) => pattern.toLowerCase()) as [string, ...string[]]).optional(),
  /** For tasks that name none. */
  agent: text().optional(),
  /** For tasks that name none, and for the work of all tasks together. */
  check: z.array(text()).optional(),
  /** US dollars for all tasks together. */
  budget: amount.optional(),
  deadline: duration.optional(),
  at_once: z.int().min(1).max(SLOTS_SETTING_MAX).optional(),
  /** Each task works in a worktree of its own. */
  worktree: z.boolean().optional(),
  tasks: z.array(task).min(1),
});

export type WordsTask = z.infer<typeof task>;
export type WordsSession = z.infer<typeof session>;

export const WORDS_SESSION: MessageKind<WordsSession> = {
  kind: 'session',
  schema: session,
  rules: [],
  advice: [],
  unknownFields: () => 'refuse',
  codeOf: () => 'E_SCHEMA_VALIDATION',
};
