import { join } from 'node:path';
import { findLostObjects } from '../../workspace/shadow/lost-objects.ts';
import { findEmptyObjects, findTornFiles } from '../../workspace/shadow/torn-files.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import { type DoctorFinding, note, well, wrong } from './doctor-finding.ts';

const FILES_NAMED_MAX = 5;
const TASKS_NAMED_MAX = 5;

/** Files that Baton keeps about workspaces: a kill leaves them whole, a full disk or a careless copy may not. */
export async function shadowFinding(folder: string): Promise<DoctorFinding> {
  const [empty, ...others] = findEmptyObjects(join(folder, 'shadows'));
  if (empty !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const hint = 'put back the folder shadows from a copy of the data folder; diff and undo of older tasks may fail';
    return wrong('shadows', `saved objects are empty: ${empty}${more}`, hint);
  }
  const lost = await lostFinding(folder);
  return lost ?? tornFinding(folder);
}

/** A store that lost an object otherwise says so only when somebody needs its undo. */
async function lostFinding(folder: string): Promise<DoctorFinding | null> {
  const lost = await findLostObjects(join(folder, 'shadows')).catch((error) => {
    if (error instanceof WorkspaceFault) return null;
    throw error;
  });
  if (lost === null) return note('shadows', 'git could not look for missing objects', 'baton doctor again later');
  const [first] = lost;
  if (first === undefined) return null;
  const tasks = [...new Set(lost.map(({ task }) => task))];
  const more = tasks.length > TASKS_NAMED_MAX ? ` and ${tasks.length - TASKS_NAMED_MAX} more` : '';
  const message = `saved files are missing, such as the object ${first.object}: diff and undo fail for ${tasks.slice(0, TASKS_NAMED_MAX).join(', ')}${more}`;
  return wrong(
    'shadows',
    message,
    'put back the folder shadows from a copy of the data folder, or the repository that is gone',
  );
}

function tornFinding(folder: string): DoctorFinding {
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
