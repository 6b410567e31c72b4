import { ONCE, READ } from '../call-spec.ts';

/** The calls about the trace of a task. */
export const TRACE_CALLS = {
  readTrace: {
    ...READ,
    path: '/v1/tasks/{task}/trace',
    request: 'TraceRequest',
    answer: 'TracePage',
    about:
      'Reads the turns and events of a task, all its runs in order, a page at a time, from the start or from the end.',
  },
  readStory: {
    ...READ,
    path: '/v1/tasks/{task}/story',
    request: 'StoryRequest',
    answer: 'StoryPage',
    about:
      'Reads the story of a task: attempts, turns with their tool calls, output, checks and questions, a part of its log at a time.',
  },
  listPoints: {
    ...READ,
    path: '/v1/tasks/{task}/points',
    request: 'TaskRequest',
    answer: 'PointList',
    about:
      'Lists the states of its files that a task can be rewound to: each turn that changed files, and each transition.',
  },
  previewRewind: {
    ...READ,
    path: '/v1/tasks/{task}/rewind',
    request: 'PreviewRequest',
    answer: 'RewindPreview',
    isLong: true,
    about: 'Shows the difference that a rewind would make; changes nothing.',
  },
  rewindTask: {
    ...ONCE,
    path: '/v1/tasks/{task}/rewind',
    request: 'RewindRequest',
    answer: 'RewindAnswer',
    about: 'Puts the files and the task back to a point. The files from before are saved first.',
  },
} as const;
