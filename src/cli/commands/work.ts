import { answerOf } from '../answers.ts';
import { taskWords } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node-command.ts';
import { verifyPage, workText } from '../output/work-text.ts';

export const applyCommand = nodeCommand({
  usage: 'baton apply TASK [--branch NAME] [--json]',
  about: [
    'Brings the work of a task into your files, merged with what you did meanwhile and not committed. Where the two',
    'contradict each other nothing is changed, and the files are listed. With --branch it becomes a commit on a new branch',
    'instead; your files stay as they are. Nothing is ever pushed.',
  ].join('\n'),
  examples: ['baton apply @', 'baton apply 57 --branch money-tests'],
  flags: { branch: { takes: 'value', shows: 'NAME', help: 'a commit on this new branch' } },
  plan(call) {
    const reference = taskWords(call, 'apply');
    const branch = flagText(call, 'branch');
    if (branch === '') throw new UsageError('--branch: no name', 'baton apply TASK --branch NAME');
    return async (client) =>
      answerOf(await client.applyWork({ task: reference, ...(branch === undefined ? {} : { branch }) }), {
        say: (work, look) => workText('applied', work, look),
        next: ({ task, commit }) => (commit === null ? `next: git diff; baton undo ${task} takes it back` : null),
      });
  },
});

export const discardCommand = nodeCommand({
  usage: 'baton discard TASK [--json]',
  about:
    'Drops the work of a task that was done in a worktree: the worktree goes, its last state stays under refs/baton.',
  examples: ['baton discard @'],
  flags: {},
  plan(call) {
    const reference = taskWords(call, 'discard');
    return async (client) =>
      answerOf(await client.discardWork({ task: reference }), {
        say: (work, look) => workText('discarded', work, look),
        next: ({ task }) => `next: baton apply ${task} would still bring it into your files`,
      });
  },
});

export const undoCommand = nodeCommand({
  usage: 'baton undo TASK [--keep] [--json]',
  about: [
    'Puts every file back as it was before the work of a task, also those it made or removed. Refused where files changed',
    'since, and lists them; with --keep their present state is saved under refs/baton first.',
  ].join('\n'),
  examples: ['baton undo @', 'baton undo 57 --keep'],
  flags: { keep: { takes: 'nothing', help: 'save what changed since, then undo' } },
  plan(call) {
    const reference = taskWords(call, 'undo');
    const keep = Boolean(call.flags.keep);
    return async (client) =>
      answerOf(await client.undoWork({ task: reference, keep }), {
        say: (work, look) => workText('undone', work, look),
      });
  },
});

export const verifyCommand = nodeCommand({
  usage: 'baton verify TASK [--json]',
  about: 'Runs the checks of a task again, now, on the files as they are. Exit 0 if all of them pass, 1 otherwise.',
  examples: ['baton verify @'],
  flags: {},
  plan(call) {
    const reference = taskWords(call, 'verify');
    return async (client) =>
      answerOf(await client.verifyWork({ task: reference }), {
        say: verifyPage,
        exitCode: ({ isPassed }) => (isPassed ? 0 : 1),
      });
  },
});
