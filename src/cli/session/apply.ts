import type { AppliedSession, ApplyConflict } from '../../api/session/session-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { counted } from '../../domain/words/counted.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { label } from '../order/plan-text.ts';
import { foldLines, line } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';
import { workPlaceText } from '../work/work-place-text.ts';
import { sessionWords } from './read-session-request.ts';

const EXIT_NOT_WHOLE = 1;

export const sessionApplyCommand = nodeCommand({
  usage: 'baton session apply SESSION [--branch NAME] [--resolve AGENT] [--yes] [--json]',
  about: [
    'Merges the work of all checked tasks of a session that waits in worktrees into your files, one task after the other, those first that',
    'others waited for, and runs the checks of the session on the result. Nothing is committed. It stops at the first task that conflicts with',
    'your files or with the tasks before it, changes nothing for that task, and names both sides and the files; called again it continues',
    'there. With --resolve an agent gets the task to merge the conflicting work. With --branch all of it becomes one commit on a new branch,',
    'or none of it, and your files stay as they are; it names the checked tasks whose work was applied before and is not on it. Exit 0: all is merged, and the checks pass. 1: a task conflicts, or a check fails.',
  ].join(' '),
  examples: [
    'baton session apply @',
    'baton session apply night --branch night',
    'baton session apply @ --resolve emma',
  ],
  ignores: ['key'],
  flags: {
    branch: { takes: 'value', shows: 'NAME', help: 'commit the work to this new branch' },
    resolve: { takes: 'value', shows: 'AGENT', help: 'have this agent resolve the first conflict' },
    yes: { takes: 'nothing', short: 'y', help: 'also apply files that git would execute, such as hooks' },
  },
  plan(call) {
    const session = sessionWords(call, 'apply');
    const [branch, resolve] = [flagText(call, 'branch'), flagText(call, 'resolve')];
    if (branch === '') throw new UsageError('--branch: the name is empty', 'baton session apply SESSION --branch NAME');
    const wish = { ...(branch !== undefined && { branch }), ...(resolve !== undefined && { resolve }) };
    const yes = Boolean(call.flags.yes);
    return async (client) => {
      const found = await client.showSession({ session });
      if (isRefusal(found)) return refused(found);
      const { session_id: id } = found;
      return answerOfCall(await client.applySession({ session: id, ...wish, ...(yes && { yes }) }), {
        say: appliedText,
        next: ({ conflict }) => nextLine(conflict, id, folderFlagOf(call)),
        exitCode: ({ conflict, checks }) => (conflict === null && checks?.is_passed !== false ? 0 : EXIT_NOT_WHOLE),
      });
    };
  },
});

function nextLine(conflict: ApplyConflict | null, session: string, folder: string): string | null {
  if (conflict === null) return null;
  const again = `baton session apply ${session}${folder}`;
  if (conflict.resolved_in !== null) return `next: baton run ${conflict.resolved_in}${folder}, then ${again}`;
  return `next: baton diff ${conflict.id}${folder}; ${again} --resolve AGENT has an agent merge it`;
}

function appliedText(session: AppliedSession, style: Style): string {
  const { session_id, applied, branch, commit, conflict, unchecked, elsewhere, checks } = session;
  const none = applied.length === 0 && conflict === null ? [line('no checked work waits in this session')] : [];
  const lines = [
    ...none,
    ...applied.map(({ task_id, id, files }) => {
      const count = counted(files.length, 'file');
      const name = style.strong(visible(task_id));
      return line(
        `${name}  ${style.faint(`${id} · ${count}`)}`,
        label(branch === null ? 'applied' : 'merged', style.good),
      );
    }),
    ...(branch === null ? [] : [line(`${visible(branch)}  ${style.faint(commit ?? '')}`, label('branch', style.good))]),
    ...(conflict === null ? [] : conflictLines(conflict, style)),
    ...elsewhere.map((placed) =>
      line(
        `${style.strong(visible(placed.task_id))}  is ${workPlaceText(placed)}, not ${branch === null ? 'in your files' : 'on this branch'}`,
        label('left', style.open),
      ),
    ),
    ...unchecked.map((id) =>
      line(
        `${style.strong(visible(id))}  is not checked; baton session show ${visible(session_id)} names its task`,
        label('left', style.open),
      ),
    ),
    ...(checks?.results ?? []).map(({ id, result, message }) => {
      const isPassed = result === 'passed';
      return line(
        visible(isPassed ? id : message),
        label(isPassed ? 'passed' : 'failed', isPassed ? style.good : style.bad),
      );
    }),
  ];
  return foldLines(lines, style.columns);
}

function conflictLines({ task_id, message, details, with: sides, resolved_in }: ApplyConflict, style: Style) {
  const other = sides.length === 0 ? 'your own files' : sides.map((side) => `${side.task_id} (${side.id})`).join(', ');
  return [
    line(`${style.strong(visible(task_id))}  ${visible(message)}`, label('stopped', style.bad)),
    line(`against ${visible(other)}`, ' '.repeat(8)),
    ...details.map((detail) => line(visible(detail), ' '.repeat(8))),
    ...(resolved_in === null ? [] : [line(`${resolved_in} is to resolve it`, label('task', style.open))]),
  ];
}
