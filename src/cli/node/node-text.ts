import type { BackupAnswer, CleanAnswer, RebuildAnswer, RestoreAnswer } from '../../api/contract.ts';
import { counted } from '../../domain/words/counted.ts';
import type { AcceptedLoss } from '../../node/folder/accept-loss.ts';
import type { RebuiltFromTree } from '../../node/folder/rebuild-from-tree.ts';
import type { DoctorFinding } from '../doctor/doctor-finding.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';

export interface UpAnswer {
  readonly url: string;
  readonly pid: number;
  /** The data folder. */
  readonly data: string;
  /** Path of its log if it runs in the background. */
  readonly log: string | null;
  /** The link to the dashboard: it logs one browser in, once. */
  readonly dashboard: { readonly url: string; readonly expiresAt: string };
}

export function upText({ url, pid, data, log, dashboard }: UpAnswer): string {
  const how = log === null ? 'Ctrl-C' : 'baton down';
  return [
    `the node of ${data} is running at ${url} (process ${pid})`,
    ...(log === null ? [] : [`  log: ${log}`]),
    `  dashboard: ${dashboard.url}`,
    '    the link works once, within 15 minutes; baton open makes another',
    `  to stop it: ${how}`,
  ].join('\n');
}

export interface OpenAnswer {
  /** The link: it logs one browser in, once. */
  readonly url: string;
  readonly expiresAt: string;
  /** `not-yet`: a browser was started and has not used the link so far. */
  readonly opened: 'opened' | 'not-yet' | 'no-browser' | 'not-asked';
  /** The `ssh -L` command to run on the machine with the browser; null if the browser is on this one. */
  readonly ssh: string | null;
  /** The process of the node, if it was started for this. */
  readonly started: number | null;
}

export function openText({ url, opened, ssh, started }: OpenAnswer): string {
  const node = started === null ? [] : [`started the node (process ${started}); baton down stops it`];
  if (opened === 'opened') return [...node, 'the dashboard is open in your browser'].join('\n');
  const way = {
    'not-yet': 'the browser has not opened it so far; the link:',
    'no-browser': 'open this in your browser:',
    'not-asked': 'open this in your browser:',
  }[opened];
  return [
    ...node,
    ...(ssh === null ? [] : ['on your own machine, first:', `  ${ssh}`]),
    ssh === null ? way : 'then open there:',
    `  ${url}`,
    'it works once, within 15 minutes; baton open makes another',
  ].join('\n');
}

export interface DownAnswer {
  /** The data folder. */
  readonly data: string;
  readonly stopped: boolean;
  readonly pid: number | null;
  /** Running agents that ended with it; their orders continue at the next start. */
  readonly agentsEnded: number;
}

export function downText({ data, stopped, pid, agentsEnded }: DownAnswer): string {
  if (!stopped) return `no node of ${data} is running`;
  const done = `the node of ${data} (process ${pid}) has stopped`;
  if (agentsEnded === 0) return done;
  const orders = agentsEnded === 1 ? 'its order continues' : 'their orders continue';
  return `${done}; it ended ${counted(agentsEnded, 'running agent')}, and ${orders} at the next start: baton up`;
}

export interface InitAnswer {
  readonly data: string;
  /** Files that it created. */
  readonly made: readonly string[];
}

export function initText({ data, made }: InitAnswer): string {
  if (made.length === 0) return `${data} is set up already`;
  return [
    `${data} is set up`,
    '  config.yaml    your settings, with examples to fill in',
    '  ledger.sqlite  every task, run and event (authoritative)',
    '  tasks/         the same as files: one per task, one folder per status',
  ].join('\n');
}

export function cleanText({ dryRun, olderThanDays, kept, ...removed }: CleanAnswer): string {
  const { tasks, worktrees, shadows, objects, saved, bytes } = removed;
  const what = [
    `the saved work of ${counted(tasks.length, 'task')}`,
    counted(worktrees, 'worktree'),
    counted(shadows, 'shadow commit'),
    counted(objects, 'git object'),
    counted(saved, 'other saved file'),
  ];
  const isNothing = worktrees + shadows + objects + saved + bytes === 0;
  const verb = dryRun ? 'would remove' : 'removed';
  const undoable = `${counted(kept.undoable, 'task')} that can be undone (for ${counted(olderThanDays, 'day')})`;
  return [
    isNothing ? 'nothing to remove' : `${verb} ${what.join(', ')}: ${sizeText(bytes)}`,
    `kept ${counted(kept.waiting, 'task')} to be applied, ${undoable}, ${counted(kept.running, 'running task')}`,
  ].join('\n');
}

export function backupText({ file, tasks, events, files, bytes }: BackupAnswer): string {
  const saved = `${counted(tasks, 'task')}, ${counted(events, 'event')} and ${counted(files, 'file')}`;
  return `saved ${saved} to ${file} (${sizeText(bytes)}), verified`;
}

export function restoreText({ file, data, tasks, events, files, keptAs, treeKeptAs }: RestoreAnswer): string {
  const kept = [keptAs, treeKeptAs].filter((path) => path !== null);
  return [
    `restored ${data} from ${file}: ${counted(tasks, 'task')}, ${counted(events, 'event')}, ${counted(files, 'file')}`,
    ...(kept.length === 0 ? [] : ['the previous state is saved as']),
    ...kept.map((path) => `  ${path}`),
  ].join('\n');
}

export function rebuildText({ data, tasks, failed, events }: RebuildAnswer): string {
  const done = `rewrote ${counted(tasks - failed, 'task')} and ${counted(events, 'event')} in ${data}`;
  return failed === 0 ? done : `${done}; ${counted(failed, 'task')} could not be written`;
}

export function acceptedLossText({ data, lost, treeKeptAs }: AcceptedLoss): string {
  return [
    `${data} continues without events ${lost.from} to ${lost.to}; the next event is after ${lost.to}`,
    ...(treeKeptAs === null ? [] : ['the files that still show them are saved as', `  ${treeKeptAs}`]),
  ].join('\n');
}

export function rebuiltFromTreeText(rebuilt: RebuiltFromTree): string {
  const { data, tasks, unread, notRestored, keptAs, treeKeptAs } = rebuilt;
  const kept = [keptAs, treeKeptAs].filter((path) => path !== null);
  return [
    `made a new ledger with ${counted(tasks, 'task')} in ${data}`,
    'not restored, because the files do not contain it:',
    ...notRestored.map((each) => `  ${each}`),
    ...(unread.length === 0 ? [] : ['left out:', ...unread.map(({ path, problem }) => `  ${path}: ${problem}`)]),
    ...(kept.length === 0 ? [] : ['the previous state is saved as', ...kept.map((path) => `  ${path}`)]),
  ].join('\n');
}

function sizeText(bytes: number): string {
  const mib = bytes / (1024 * 1024);
  return mib >= 1 ? `${mib.toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} KB`;
}

const WORD_WIDTH = 5;

export function findingLine({ about, state, message, hint }: DoctorFinding, style: Style): string {
  const words = { well: style.good('ok'), wrong: style.bad('wrong'), note: style.open('note') };
  const plain = { well: 'ok', wrong: 'wrong', note: 'note' };
  const space = ' '.repeat(WORD_WIDTH - plain[state].length);
  const line = `${words[state]}${space}  ${visible(about)}: ${visible(message)}`;
  return hint === null ? line : `${line}\n${' '.repeat(WORD_WIDTH)}  try: ${visible(hint)}`;
}
