import type { EventView } from '../../api/contract.ts';
import type { Look } from './look.ts';
import { progressBar } from './progress-bar.ts';
import { visible } from './visible.ts';

type Tell = (payload: Readonly<Record<string, unknown>>, look: Look) => string | null;

/** One event of an order as a person who waits for it wants to know it; null where it tells them nothing. */
export function orderLine({ type, payload }: EventView, look: Look): string | null {
  return LINES[type]?.(payload, look) ?? null;
}

interface Result {
  readonly id: string;
  readonly kind: string;
  readonly result: string;
  readonly message: string;
}

const LINES: Readonly<Record<string, Tell>> = {
  'order.snapshotted': ({ checks, workplace }, look) => {
    const place = workplace as { readonly kind: string; readonly folder?: string };
    const where = place.kind === 'worktree' ? [`works in ${visible(place.folder ?? '')}`] : [];
    const now = (checks as readonly Result[])
      .filter(({ kind }) => kind === 'check')
      .map((each) => checkLine(each, look));
    return lines([
      ...where.map((text) => `${look.faint('place ')} ${text}`),
      ...now.map((text) => `${look.faint('now   ')} ${text}`),
    ]);
  },
  'order.unanswered': ({ message }, look) => `${look.bad('nobody')} ${words(message)}`,
  'run.launched': (_payload, look) => look.faint('started'),
  // What goes out to others says the same again.
  'run.progressed': ({ percentage, text, message }, look) =>
    message !== undefined ? null : `${progressBar(Number(percentage), look)} ${words(text)}`.trimEnd(),
  'run.warned': ({ message }, look) => `${look.open('note  ')} ${words(message)}`,
  'run.exited': ({ end, code, message, by }, look) => {
    if (end === 'failed') return `${look.bad('failed')} ${words(code)}: ${words(message)}`;
    if (end === 'stopped') return `${look.open('stopped')} by ${words(by)}`;
    return end === 'lost' ? look.open('lost with its node') : null;
  },
  'run.collected': ({ violations }, look) => {
    const paths = (violations ?? []) as readonly string[];
    return lines(paths.map((path) => `${look.bad('wrote ')} ${visible(path)}, which it was not granted`));
  },
  'run.verified': ({ results }, look) => lines((results as readonly Result[]).map((each) => checkLine(each, look))),
  'order.requeued': ({ reason, dueAt }, look) => {
    const waitMs = Date.parse(String(dueAt)) - look.nowMs;
    const when = waitMs > 1_500 ? ` in ${Math.round(waitMs / 1_000)} s` : '';
    return `${look.open('again ')} once more${when}: ${words(reason)}`;
  },
  'order.rolled_back': ({ files }, look) =>
    lines(
      (files as readonly { path: string; status: string }[]).map(({ path, status }) =>
        status === 'SUCCESS'
          ? `${look.open('back  ')} ${visible(path)} is as before`
          : `${look.bad('back  ')} ${visible(path)} could not be put back`,
      ),
    ),
};

function checkLine({ id, result, message }: Result, look: Look): string {
  if (result === 'passed') return `${look.good('passed')} ${visible(id)}`;
  if (result === 'not-checkable') return `${look.faint('-     ')} ${visible(id)}: ${visible(message)}`;
  return `${look.bad(result === 'failed' ? 'failed' : 'cannot')} ${visible(id)}: ${visible(message)}`;
}

function lines(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join('\n');
}

function words(value: unknown): string {
  return value === undefined || value === null ? '' : visible(String(value));
}
