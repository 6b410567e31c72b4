import { join } from 'node:path';
import { findEmptyObjects, findTornFiles } from '../../workspace/shadow/torn-files.ts';
import { type Finding, note, well, wrong } from './finding.ts';

const FILES_NAMED_MAX = 5;

/** Files that Baton keeps about workspaces: a kill leaves them whole, a full disk or a careless copy may not. */
export function shadowFinding(folder: string): Finding {
  const [empty, ...others] = findEmptyObjects(join(folder, 'shadows'));
  if (empty !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const hint = 'put back the folder shadows from a copy of the data folder; diff and undo of older tasks may fail';
    return wrong('shadows', `saved objects are empty: ${empty}${more}`, hint);
  }
  const torn = findTornFiles(join(folder, 'shadows'));
  const lost = torn.filter(({ isMadeAgain }) => !isMadeAgain);
  if (torn.length === 0) return well('shadows', 'every file about a workspace can be read');
  const [files, more] = [lost.length > 0 ? lost : torn, (lost.length > 0 ? lost : torn).length - FILES_NAMED_MAX];
  const names = files.slice(0, FILES_NAMED_MAX).map(({ path }) => path);
  const list = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  if (lost.length === 0)
    return note('shadows', `cannot be read: ${list}`, 'nothing to do: the next run makes them again');
  const hint =
    'baton undo of older tasks may not restore file modes; remove these files, or bring them back from a copy';
  return wrong('shadows', `cannot be read: ${list}`, hint);
}
