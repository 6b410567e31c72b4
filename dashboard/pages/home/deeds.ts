import type { NeedsYou } from '../../../src/api/overview/overview-contract.ts';
import { dismissIncident } from '../../node/node-actions.ts';
import {
  answer,
  applyAndApprove,
  approve,
  cancel,
  continueTask,
  retry,
  sendBack,
  stopTask,
} from '../../node/task-actions.ts';
import type { Action } from '../../parts/action.tsx';
import { askText } from '../../parts/ask.tsx';
import { goTo } from '../../parts/route.ts';

export interface Deed {
  readonly word: string;
  run(): void;
}

export interface Deeds {
  /** Continues it: the key a. */
  readonly main: Deed | null;
  /** Sends it back: the key r. */
  readonly back: Deed | null;
  /** Ends it: the key x. */
  readonly stop: Deed | null;
  /** Further options of a question. */
  readonly others: readonly string[];
}

const NOTHING: Deeds = { main: null, back: null, stop: null, others: [] };

/** The two or three things that a person can do about an entry of the queue. */
export function deedsOf(item: NeedsYou, action: Action): Deeds {
  const { kind, task } = item;
  if (kind === 'question' || kind === 'budget') return questionDeeds(item, action);
  if (item.actions.includes('decide')) {
    return { ...NOTHING, main: { word: 'Decide', run: () => goTo(pageOf(item) ?? '/') } };
  }
  if (kind === 'incident') return incidentDeeds(item, action);
  if (task === null) return NOTHING;
  if (kind === 'review') return reviewDeeds(item, task, action);
  if (kind === 'overlap')
    return { ...NOTHING, stop: { word: 'Stop', run: () => void action.run(() => stopTask(task)) } };
  return kind === 'blocked' ? blockedDeeds(item, task, action) : NOTHING;
}

/** The page that shows an entry whole. */
export function pageOf({ id, kind, task, actions }: NeedsYou): string | null {
  if (kind === 'incident' && actions.some((verb) => NODE_VERBS.has(verb))) return '/nodes';
  if (actions.includes('decide')) return `/feedback/${id}`;
  return task === null ? null : `/tasks/${task}`;
}

const NODE_VERBS: ReadonlySet<string> = new Set(['trust', 'remove', 'dismiss']);

/** Trusting a node needs a look at its key; having seen a loss needs nothing but a word. */
function incidentDeeds(item: NeedsYou, action: Action): Deeds {
  const page = pageOf(item);
  if (page !== '/nodes') return NOTHING;
  const word = item.actions.includes('trust') ? 'Compare keys' : 'Look';
  const dismiss = { word: 'Dismiss', run: () => void action.run(() => dismissIncident(item.id)) };
  return {
    ...NOTHING,
    main: { word, run: () => goTo(page) },
    back: item.actions.includes('dismiss') ? dismiss : null,
  };
}

function questionDeeds({ id, kind, actions }: NeedsYou, action: Action): Deeds {
  const deed = (option: string, word: string): Deed | null =>
    actions.includes(option) ? { word, run: () => void action.run(() => answer(id, option)) } : null;
  return {
    ...NOTHING,
    main: deed('yes', kind === 'budget' ? 'Raise it' : 'Allow'),
    back: deed('no', kind === 'budget' ? 'End it' : 'Deny'),
    others: actions.filter((each) => each !== 'yes' && each !== 'no'),
  };
}

function reviewDeeds({ id, line, title }: NeedsYou, task: string, action: Action): Deeds {
  const isWaiting = line?.work === 'waiting';
  const run = () => void action.run(() => (isWaiting ? applyAndApprove(task, id) : approve(id)));
  const back = async () => {
    const text = await askText({ title: `Send back: ${title}`, label: 'What is to be changed?', submit: 'Send back' });
    if (text !== null) await action.run(() => sendBack(id, text));
  };
  return {
    ...NOTHING,
    main: { word: isWaiting ? 'Apply' : 'Approve', run },
    back: { word: 'Send back', run: () => void back() },
  };
}

function blockedDeeds({ title, actions }: NeedsYou, task: string, action: Action): Deeds {
  const goOn = async () => {
    const label = 'What should the agent do now? Without words it continues what is not done.';
    const text = await askText({ title: `Continue: ${title}`, label, submit: 'Continue', isOptional: true });
    if (text !== null) await action.run(() => continueTask(task, { text }));
  };
  const end: Deed = { word: 'Cancel', run: () => void action.run(() => cancel(task)) };
  return {
    ...NOTHING,
    main: { word: 'Retry', run: () => void action.run(() => retry(task)) },
    back: actions.includes('continue') ? { word: 'Continue…', run: () => void goOn() } : end,
  };
}
