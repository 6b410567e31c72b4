import * as z from 'zod';
import { anyText, bool, shape } from '../shape.ts';
import { taskView } from '../task/task-schemas.ts';
import { question } from '../task/waiting-schemas.ts';
import type * as talk from './talk-contract.ts';

const questionView = shape<talk.QuestionView>(question);

export const TALK_SCHEMAS = {
  SayRequest: z.object({ task: anyText, text: anyText }),
  SayAnswer: shape<talk.SayAnswer>({
    task: taskView,
    words: anyText,
    text: anyText,
    isDelivered: bool,
    isRunning: bool,
  }),
  QuestionsRequest: z.object({ task: anyText.optional() }),
  AnswerRequest: z.object({
    task: anyText.describe('A task with one open question, or the id of a question (qst_…).'),
    /** One of the options of the question. */
    answer: anyText,
    /** The person answers at the terminal of the run. */
    from: z.literal('terminal').optional(),
  }),
  QuestionView: questionView,
  QuestionList: shape<talk.QuestionList>({ questions: z.array(questionView) }),
} as const;
