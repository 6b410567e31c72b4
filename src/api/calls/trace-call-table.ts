import { READ } from './call-spec.ts';

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
} as const;
