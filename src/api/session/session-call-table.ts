import { type CallSpec, CHANGE, READ, REPEATABLE } from '../call-spec.ts';

const ONE_SESSION = { request: 'SessionReference', answer: 'SessionView' } as const;

/** The calls about sessions. */
export const SESSION_CALLS = {
  planSession: {
    ...READ,
    method: 'POST',
    path: '/v1/sessions/plan',
    request: 'SessionRequest',
    answer: 'SessionPlan',
    isLong: true,
    about: 'Plans a session: its graph and the most that it may cost; creates and starts nothing.',
  },
  submitSession: {
    ...CHANGE,
    path: '/v1/sessions',
    request: 'SessionRequest',
    answer: 'SessionAnswer',
    status: 201,
    isLong: true,
    about: 'Accepts a session with all its tasks, in one commit, or refuses it completely.',
  },
  listSessions: {
    ...READ,
    path: '/v1/sessions',
    request: 'SessionListRequest',
    answer: 'SessionPage',
    about: 'Lists sessions, the newest first, a page at a time.',
  },
  showSession: {
    ...READ,
    path: '/v1/sessions/{session}',
    ...ONE_SESSION,
    about: 'Shows a session with its tasks, their states and their cost.',
  },
  sessionReport: {
    ...READ,
    path: '/v1/sessions/{session}/report',
    request: 'SessionReference',
    answer: 'SessionReportAnswer',
    about: 'The SESSION_FINAL_REPORT of a session.',
  },
  carrySession: {
    ...REPEATABLE,
    path: '/v1/sessions/{session}/carry',
    ...ONE_SESSION,
    about: 'Starts a session. The node of a `baton session run` starts only requested sessions.',
  },
  stopSession: {
    ...CHANGE,
    path: '/v1/sessions/{session}/stop',
    ...ONE_SESSION,
    isLong: true,
    about: 'Stops a session: what waits is aborted, what runs is ended.',
  },
  applySession: {
    ...REPEATABLE,
    path: '/v1/sessions/{session}/apply',
    request: 'ApplySessionRequest',
    answer: 'AppliedSession',
    isLong: true,
    about:
      'Merges the waiting work of checked tasks in dependency order and runs the checks of the session on the result.',
  },
  continueSession: {
    ...CHANGE,
    path: '/v1/sessions/{session}/continue',
    request: 'ReopenRequest',
    answer: 'SessionView',
    isLong: true,
    about: 'Continues the tasks of a session that were not done, with the work that they left.',
  },
  retrySession: {
    ...CHANGE,
    path: '/v1/sessions/{session}/retry',
    request: 'ReopenRequest',
    answer: 'SessionView',
    isLong: true,
    about: 'Starts the tasks of a session that failed, were aborted or skipped once more.',
  },
} as const satisfies Readonly<Record<string, CallSpec>>;
