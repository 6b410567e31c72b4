import type { NodeClient } from '../../../api/node-client.ts';
import type { SessionTaskView } from '../../../api/session-contract.ts';
import { isRefusal, type Refusal } from '../../../domain/refusal.ts';
import { answerOf } from '../../answer-of-call.ts';
import { nodeCommand } from '../../node/node-command.ts';
import { foldLines, line } from '../../output/lines.ts';
import { label } from '../../output/plan-text.ts';
import type { Style } from '../../output/style.ts';
import { visible } from '../../output/visible.ts';
import { sessionWords } from '../../sessions/session-request.ts';

const EXIT_CONFLICT = 1;

interface AppliedTask {
  readonly task_id: string;
  readonly id: string;
  readonly files: readonly string[];
}

/** The work of a session that is in the person's files now, and the task at which it stopped. */
interface AppliedSession {
  readonly session_id: string;
  readonly applied: readonly AppliedTask[];
  /** Null if all waiting work of checked tasks was applied. */
  readonly conflict: {
    readonly task_id: string;
    readonly id: string;
    readonly code: string;
    readonly message: string;
    readonly details: readonly string[];
  } | null;
  /** Tasks whose work waits and is not checked: it is not applied. */
  readonly unchecked: readonly string[];
}

export const sessionApplyCommand = nodeCommand({
  usage: 'baton session apply SESSION [--yes] [--json]',
  about: [
    'Merges the work of all checked tasks of a session that waits in worktrees into your files, one task after the other, those first that',
    'others waited for. Nothing is committed. It stops at the first task that conflicts with your files or with the tasks before it, changes',
    'nothing for that task, and names the files; called again it goes on there. Exit 0: all is applied. 1: a task conflicts.',
  ].join(' '),
  examples: ['baton session apply @', 'baton session apply night --json'],
  ignores: ['key'],
  flags: { yes: { takes: 'nothing', short: 'y', help: 'apply also what git will execute' } },
  plan(call) {
    const session = sessionWords(call, 'apply');
    const yes = Boolean(call.flags.yes);
    return async (client) =>
      answerOf(await applySession(client, session, yes), {
        say: appliedText,
        exitCode: ({ conflict }) => (conflict === null ? 0 : EXIT_CONFLICT),
      });
  },
});

async function applySession(client: NodeClient, session: string, yes: boolean): Promise<AppliedSession | Refusal> {
  const view = await client.showSession({ session });
  if (isRefusal(view)) return view;
  const applied: AppliedTask[] = [];
  const unchecked: string[] = [];
  for (const { task_id, id, final_signal: signal } of inOrder(view.tasks)) {
    const task = await client.showTask({ task: id });
    if (isRefusal(task)) return task;
    if (task.work !== 'waiting') continue;
    if (signal !== 'SUCCESS') {
      unchecked.push(task_id);
      continue;
    }
    const work = await client.applyWork({ task: id, ...(yes && { yes }) });
    if (isRefusal(work)) {
      const { code, message, details = [] } = work;
      return { session_id: view.session_id, applied, conflict: { task_id, id, code, message, details }, unchecked };
    }
    applied.push({ task_id, id, files: work.files });
  }
  return { session_id: view.session_id, applied, conflict: null, unchecked };
}

/** Each task after those that it waited for; otherwise as in the file. */
function inOrder(tasks: readonly SessionTaskView[]): readonly SessionTaskView[] {
  const left = new Map(tasks.map((task) => [task.task_id, task]));
  const sorted: SessionTaskView[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(({ depends_on: needed }) => !needed.some((id) => left.has(id)));
    // The graph of a session has no circle.
    for (const task of free.length > 0 ? free : left.values()) {
      left.delete(task.task_id);
      sorted.push(task);
    }
  }
  return sorted;
}

function appliedText({ applied, conflict, unchecked }: AppliedSession, style: Style): string {
  const none = applied.length === 0 && conflict === null ? [line('no checked work waits in this session')] : [];
  const lines = [
    ...none,
    ...applied.map(({ task_id, id, files }) => {
      const count = files.length === 1 ? '1 file' : `${files.length} files`;
      return line(
        `${style.strong(visible(task_id))}  ${style.faint(`${id} · ${count}`)}`,
        label('applied', style.good),
      );
    }),
    ...(conflict === null
      ? []
      : [
          line(`${style.strong(visible(conflict.task_id))}  ${visible(conflict.message)}`, label('stopped', style.bad)),
          ...conflict.details.map((detail) => line(visible(detail), ' '.repeat(8))),
        ]),
    ...unchecked.map((id) =>
      line(`${style.strong(visible(id))}  is not checked: baton apply TASK`, label('left', style.open)),
    ),
  ];
  return foldLines(lines, style.columns);
}
