import { leftPlaceholders } from '../../node/left-placeholders.ts';
import { type Finding, note, well } from './finding.ts';

/** The repositories that agents worked in. */
export function repositoryFinding(folder: string): Finding {
  const [first, ...others] = leftPlaceholders(folder);
  if (first === undefined) return well('repositories', 'no killed run left a file of Baton in .git');
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const hint = 'baton up, or any run with this data folder, removes it; git works as without it';
  return note('repositories', `a killed run left ${first}${more}`, hint);
}
