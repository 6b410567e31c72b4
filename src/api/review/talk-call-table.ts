import { CHANGE, READ } from '../call-spec.ts';

/** The calls by which a person and a running agent talk. */
export const TALK_CALLS = {
  sayWords: {
    ...CHANGE,
    path: '/v1/tasks/{task}/say',
    request: 'SayRequest',
    answer: 'SayAnswer',
    about: "Says something to a task's agent: into its running turn where it can hear, else at its next turn.",
  },
  listQuestions: {
    ...READ,
    path: '/v1/questions',
    request: 'QuestionsRequest',
    answer: 'QuestionList',
    names: ['task'],
    about: 'Lists the questions that wait for a person, oldest first.',
  },
  answerQuestion: {
    ...CHANGE,
    path: '/v1/tasks/{task}/answer',
    request: 'AnswerRequest',
    answer: 'QuestionView',
    about: 'Answers the open question of a task, or the question whose id is given in its place.',
  },
} as const;
