import type { SessionTaskView } from '../../api/session/session-contract.ts';
import { visible } from '../output/visible.ts';

/** The place of the work of a task of a session, in words; empty where there is none. */
export function workPlaceText({ work, branch }: Pick<SessionTaskView, 'work' | 'branch'>): string {
  switch (work) {
    case null:
      return '';
    case 'files':
      return 'in your files';
    case 'worktree':
      return 'waits in a worktree';
    case 'branch':
      return `on the branch ${visible(branch ?? '')}`;
    case 'continued':
      return 'continued in a later task';
    default:
      return work;
  }
}
