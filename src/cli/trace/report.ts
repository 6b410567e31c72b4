import { wallMs } from '../../platform/terminal.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { readInstant } from '../read-input.ts';
import { dayReportPage } from './day-report-text.ts';

const SPAN = /^(\d{1,5})(m|h|d)$/i;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const reportCommand = nodeCommand({
  usage: 'baton report [--since today | INSTANT | 12h] [--json]',
  about: [
    'The morning page: what was done since then, what was not and why, what it cost by model, how long the machine slept, and what you have to',
    'decide. Without --since it covers the last 24 hours. Costs are those that agents report; an agent that reports none may still cost money.',
  ].join(' '),
  examples: ['baton report', 'baton report --since today', 'baton report --since 2026-02-09T18:00 --json'],
  ignores: ['key'],
  flags: {
    since: { takes: 'value', shows: 'POINT', help: 'today, an instant, or a time until now: 30m, 12h, 7d (24h)' },
  },
  plan(call) {
    if (call.words.length > 0) throw new UsageError('report: takes no arguments', 'baton task show TASK');
    const nowMs = wallMs();
    const since = sinceOf(flagText(call, 'since') ?? '24h', nowMs);
    const until = new Date(nowMs).toISOString();
    return async (client) =>
      answerOfCall(await client.dayReport({ since, until }), {
        say: (report, style) => dayReportPage(report, style, folderFlagOf(call)),
      });
  },
});

function sinceOf(point: string, nowMs: number): string {
  const instant = readInstant(point, nowMs);
  if (instant !== null) return instant;
  const [, number, unit = ''] = SPAN.exec(point) ?? [];
  if (number !== undefined) return new Date(nowMs - Number(number) * (UNIT_MS[unit.toLowerCase()] ?? 0)).toISOString();
  throw new UsageError(`--since: ${JSON.stringify(point)} is not a time`, '--since today, 12h or 2026-02-09T18:00');
}
