import type { CommandEntry, LoadedCommand } from '../command.ts';

const REVIEW_VERBS: readonly LoadedCommand[] = [
  {
    name: 'list',
    summary: 'list everything that waits for you',
    load: async () => (await import('../review/list.ts')).reviewListCommand,
  },
  {
    name: 'approve',
    summary: 'accept the work of a task in review',
    load: async () => (await import('../review/approve.ts')).approveCommand,
  },
  {
    name: 'return',
    summary: 'send work back to its agent, with comments',
    load: async () => (await import('../review/return.ts')).returnCommand,
  },
];

/** Commands that run agents and review their work. */
export const ORDER_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    group: 'Work',
    summary: 'have an agent do a task, and check its work',
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'logs',
    group: 'Work',
    summary: "show the output of a task's agent",
    load: async () => (await import('../trace/logs.ts')).logsCommand,
  },
  {
    name: 'trace',
    group: 'Work',
    summary: 'tell the work of a task turn by turn',
    load: async () => (await import('../trace/trace.ts')).traceCommand,
  },
  {
    name: 'say',
    group: 'Work',
    summary: "say something to a task's agent",
    load: async () => (await import('./say.ts')).sayCommand,
  },
  {
    name: 'answer',
    group: 'Work',
    summary: 'answer the question of a task',
    load: async () => (await import('../review/answer.ts')).answerCommand,
  },
  {
    name: 'stop',
    group: 'Work',
    summary: 'stop a task; its work so far stays',
    load: async () => (await import('./stop.ts')).stopCommand,
  },
  {
    name: 'continue',
    group: 'Work',
    summary: 'continue a task that is over, also with another agent',
    load: async () => (await import('./continue.ts')).continueCommand,
  },
  {
    name: 'feedback',
    group: 'Review',
    summary: 'ask other agents for feedback, in rounds',
    load: async () => (await import('../review/feedback.ts')).feedbackCommand,
  },
  {
    name: 'report',
    group: 'Review',
    summary: 'what was done, what was not and why, what it cost, what to decide',
    load: async () => (await import('../trace/report.ts')).reportCommand,
  },
  {
    name: 'review',
    group: 'Review',
    summary: 'list what waits for you; approve or return work',
    about: [
      'Everything that waits for a person is one queue. Work in review is approved, or returned to its agent with comments.',
    ].join(' '),
    examples: ['baton review list', 'baton review approve 57', 'baton review return 57 -m "cover negative amounts"'],
    verbs: REVIEW_VERBS,
  },
  {
    name: 'diff',
    group: 'Review',
    summary: 'show what a task changed',
    load: async () => (await import('../work/diff.ts')).diffCommand,
  },
  {
    name: 'apply',
    group: 'Review',
    summary: 'merge the work of a task into your files or a branch',
    load: async () => (await import('../work/work.ts')).applyCommand,
  },
  {
    name: 'discard',
    group: 'Review',
    summary: 'remove the worktree of a task',
    load: async () => (await import('../work/work.ts')).discardCommand,
  },
  {
    name: 'undo',
    group: 'Review',
    summary: 'take back what a task did to files',
    load: async () => (await import('../work/work.ts')).undoCommand,
  },
  {
    name: 'rewind',
    group: 'Review',
    summary: 'go back to any point of a task',
    load: async () => (await import('../trace/rewind.ts')).rewindCommand,
  },
  {
    name: 'verify',
    group: 'Review',
    summary: 'run the checks of a task again',
    load: async () => (await import('../work/work.ts')).verifyCommand,
  },
];
