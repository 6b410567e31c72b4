import { ONCE, READ, REPEATABLE } from '../call-spec.ts';

/** The calls that log a browser in to the dashboard. */
export const DASHBOARD_CALLS = {
  createLink: {
    ...REPEATABLE,
    path: '/v1/dashboard/link',
    request: 'Nothing',
    answer: 'DashboardLink',
    status: 201,
    about: 'Makes a link to the dashboard that logs one browser in, once.',
  },
  showLink: {
    ...READ,
    path: '/v1/dashboard/link/{link}',
    request: 'LinkRequest',
    answer: 'LinkState',
    about: 'Whether a browser has used a link.',
  },
  exchangeLink: {
    ...ONCE,
    path: '/v1/dashboard/token',
    request: 'Nothing',
    answer: 'DashboardToken',
    who: 'anybody',
    form: 'login',
    status: 201,
    about: 'Exchanges the code of a link, in the header Baton-Link, for the token of a browser.',
  },
} as const;
