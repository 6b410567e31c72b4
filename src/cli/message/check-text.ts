import { counted } from '../../domain/words/counted.ts';
import type { PrintedRefusal } from '../command.ts';
import { visible } from '../output/visible.ts';
import type { CheckedMessage } from './checked-message.ts';

const VERDICT_WIDTH = 'malformed'.length;
const NAME_WIDTH_MAX = 48;

/** One message: verdict, file and kind, and below it every error and warning. */
export function checkText(checked: CheckedMessage, nameWidth: number): string | PrintedRefusal {
  if (checked.verdict === 'refused') {
    const message = checked.errors.map((error) => error.message).join('; ');
    return { message: visible(message), hint: visible(checked.hint ?? 'baton check --help') };
  }
  const where = visible(checked.line === undefined ? checked.file : `${checked.file}:${checked.line}`);
  const head = [checked.verdict.padEnd(VERDICT_WIDTH), where.padEnd(Math.min(nameWidth, NAME_WIDTH_MAX))];
  return [
    [...head, ...aboutMessage(checked)].join('  '),
    ...checked.errors.map(({ message }) => finding('error', message)),
    ...checked.warnings.map(({ message, code }) => finding('warning', `${message} (${code})`)),
  ]
    .map(visible)
    .join('\n');
}

function aboutMessage({ verdict, protocol, kind, code }: CheckedMessage): readonly string[] {
  if (verdict === 'foreign') {
    return [protocol === null ? 'not a message of the five protocols' : `not a message of ${protocol}`];
  }
  const what = [protocol, kind].filter((part) => part !== null).join(' ');
  return [what, code ?? ''].filter((part) => part !== '');
}

function finding(label: string, sentence: string): string {
  return `  ${label.padEnd(VERDICT_WIDTH - 2)}  ${sentence}`;
}

type VerdictCounts = Readonly<Record<CheckedMessage['verdict'], number>>;

/** Counts for more than one message, or for none. */
export function checkSummary(counts: VerdictCounts): string | null {
  const judged = counts.accepted + counts.malformed + counts.foreign;
  const unread = counts.refused === 0 ? [] : [`${counted(counts.refused, 'file')} not read`];
  if (judged === 0 && unread.length === 0) return 'no messages';
  if (judged + counts.refused === 1) return null;
  const parts = (['accepted', 'malformed', 'foreign'] as const)
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`);
  return `${counted(judged, 'message')}: ${[...parts, ...unread].join(', ')}`;
}
