import type { BackupAnswer, RebuildAnswer, RestoreAnswer } from '../../api/contract.ts';
import type { RebuiltFromTree } from '../../node/rebuild-from-tree.ts';

export function backupText({ file, tasks, events, bytes }: BackupAnswer): string {
  return `kept ${counted(tasks, 'task')} and ${counted(events, 'event')} in ${file} (${sizeText(bytes)}), checked`;
}

export function restoreText({ file, data, tasks, events, keptAs, treeKeptAs }: RestoreAnswer): string {
  const kept = [keptAs, treeKeptAs].filter((path) => path !== null);
  return [
    `${data} is as ${file} has it: ${counted(tasks, 'task')}, ${counted(events, 'event')}`,
    ...(kept.length === 0 ? [] : ['what was there before is kept as']),
    ...kept.map((path) => `  ${path}`),
  ].join('\n');
}

export function rebuildText({ data, tasks, failed, events }: RebuildAnswer): string {
  const done = `wrote ${counted(tasks - failed, 'task')} and ${counted(events, 'event')} anew in ${data}`;
  return failed === 0 ? done : `${done}; ${counted(failed, 'task')} could not be written`;
}

export function rebuiltFromTreeText(rebuilt: RebuiltFromTree): string {
  const { data, tasks, unread, notRestored, keptAs, treeKeptAs } = rebuilt;
  const kept = [keptAs, treeKeptAs].filter((path) => path !== null);
  return [
    `made a new ledger of ${counted(tasks, 'task')} in ${data}`,
    'not restored, for no file tells it:',
    ...notRestored.map((each) => `  ${each}`),
    ...(unread.length === 0 ? [] : ['left out:', ...unread.map(({ path, problem }) => `  ${path}: ${problem}`)]),
    ...(kept.length === 0 ? [] : ['what was there before is kept as', ...kept.map((path) => `  ${path}`)]),
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function sizeText(bytes: number): string {
  const mib = bytes / (1024 * 1024);
  return mib >= 1 ? `${mib.toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} KB`;
}
