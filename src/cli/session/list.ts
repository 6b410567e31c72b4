import { SESSIONS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { refused } from '../answer-of-call.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { sessionLineText } from './session-text.ts';

const SHOWN_DEFAULT = 20;

export const sessionListCommand = nodeCommand({
  usage: 'baton session list [--limit N] [--json]',
  about: 'Lists sessions, the newest first. With --json one line a session.',
  examples: ['baton session list', 'baton session list --limit 100 --json'],
  flags: { limit: { takes: 'value', shows: 'N', help: `how many (default: ${SHOWN_DEFAULT})` } },
  plan(call) {
    const limit = limitOf(flagText(call, 'limit'));
    return async (client) => {
      const page = await client.listSessions({ limit });
      if (isRefusal(page)) return refused(page);
      const { sessions, next } = page;
      return {
        values: sessions,
        human: (line, style) => sessionLineText(line as (typeof sessions)[number], style),
        summary: () => summaryOf(sessions.length, next !== null),
        exitCode: () => 0,
      };
    };
  },
});

function summaryOf(shown: number, isMore: boolean): string | null {
  if (shown === 0) return 'no session yet: baton session run FILE starts one';
  return isMore ? 'older ones are not shown: --limit N' : null;
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return SHOWN_DEFAULT;
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (limit > 0 && limit <= SESSIONS_PER_PAGE_MAX) return limit;
  throw new UsageError(
    `--limit: ${JSON.stringify(given)} is not a number from 1 to ${SESSIONS_PER_PAGE_MAX}`,
    '--limit 50',
  );
}
