import type { FeedbackItemView, FeedbackView } from '../../api/feedback-contract.ts';
import type { RequestOf } from '../../api/node-client.ts';
import { askKey, askLine } from '../../platform/terminal.ts';
import { itemLines } from '../output/feedback-text.ts';
import { foldLines } from '../output/lines.ts';
import { printAside } from '../output/print.ts';
import type { Style } from '../output/style.ts';

type Decision = RequestOf<'decideFeedback'>['decisions'][number];

const KEYS = { a: 'accepted', r: 'rejected', p: 'partial' } as const;
const PROMPT = 'a accept · r reject · p in part · s skip · q stop: ';

/** Asks a person about each open finding, one key an item; null to stop. */
export async function decideItems(view: FeedbackView, style: Style): Promise<readonly Decision[] | null> {
  const wanted = new Set(view.undecided);
  const items = view.items.filter(({ id }) => wanted.has(id));
  const decisions: Decision[] = [];
  for (const [at, item] of items.entries()) {
    printAside(foldLines(itemLines(item, `${at + 1} of ${items.length}  `, style), style.columns));
    const decision = await decideOne(item);
    if (decision === 'stop') return null;
    if (decision !== 'skip') decisions.push(decision);
  }
  const isPersonsTurn = view.fixer === null && decisions.some(({ status }) => status !== 'rejected');
  if (isPersonsTurn) {
    const line = await askLine(
      `change ${view.subject} now, then press Enter: the reviewers are asked again (q stops) `,
    );
    if (line === null || /^q/i.test(line.trim())) return null;
  }
  return decisions;
}

async function decideOne({ id }: FeedbackItemView): Promise<Decision | 'skip' | 'stop'> {
  const key = await askKey(PROMPT, ALLOWED);
  if (key === 'q') return 'stop';
  if (key === 's') return 'skip';
  const status = KEYS[key as keyof typeof KEYS];
  if (status === 'accepted') return { id, status };
  const explanation = (await askLine(status === 'rejected' ? 'why not? ' : 'which part? '))?.trim() ?? '';
  return { id, status, ...(explanation !== '' && { explanation }) };
}

const ALLOWED = /^[arpsq]$/;
