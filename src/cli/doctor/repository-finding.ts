import { leftPlaceholders } from '../../dispatch/earlier-node.ts';
import { leftLocks } from '../../node/folder/left-locks.ts';
import { systemClock } from '../../platform/clock.ts';
import { type DoctorFinding, note, well } from './doctor-finding.ts';

/** The repositories that agents worked in. */
export async function repositoryFinding(folder: string): Promise<DoctorFinding> {
  const [first, ...others] = leftPlaceholders(folder);
  if (first === undefined) return await lockFinding(folder);
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const hint = 'baton up, or any run with this data folder, removes it; git works as without it';
  return note('repositories', `a killed run left ${first}${more}`, hint);
}

async function lockFinding(folder: string): Promise<DoctorFinding> {
  const [first, ...others] = await leftLocks(folder, systemClock().now().wallMs);
  if (first === undefined) return well('repositories', 'no killed run left a file of Baton, or a lock of git, in .git');
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const message = `a git that was killed left its lock ${first}${more}: git refuses to work there`;
  return note('repositories', message, `if no git is running: rm ${[first, ...others].join(' ')}`);
}
