import * as z from 'zod';
import { flag, shape, text } from '../shape.ts';
import { taskView } from '../task/task-schemas.ts';
import { question } from '../task/waiting-schemas.ts';
import type * as talk from './talk-contract.ts';

const questionView = shape<talk.QuestionView>(question);

export const TALK_SCHEMAS = {
  SayRequest: z.object({ task: text, text }),
  SayAnswer: shape<talk.SayAnswer>({ task: taskView, words: text, text, isDelivered: flag, isRunning: flag }),
  QuestionsRequest: z.object({ task: text.optional() }),
  AnswerRequest: z.object({
    task: text.describe('A task with one open question, or the id of a question (qst_…).'),
    /** One of the options of the question. */
    answer: text,
    /** The person answers at the terminal of the run. */
    from: z.literal('terminal').optional(),
  }),
  QuestionView: questionView,
  QuestionList: shape<talk.QuestionList>({ questions: z.array(questionView) }),
} as const;
