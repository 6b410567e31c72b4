import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { folderFlagOf, taskWords } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { finishFirst } from '../finish-first.ts';
import { nodeCommand } from '../node/node-command.ts';
import { printAside } from '../output/print.ts';
import { failureNote, verifyPage, workText } from './work-text.ts';

export const applyCommand = nodeCommand({
  usage: 'baton apply TASK [--branch NAME [--commits]] [--yes] [--json]',
  about: [
    'Merges the work of a task into your files, without committing it: that of a worktree, or work that you undid, with',
    'everything that the undo took back. If it conflicts with your own changes, nothing is changed and the files are listed.',
    'Anything that cannot be brought back is named. With --branch it becomes a commit on a',
    'new branch instead, by you and with Baton as co-author, and your files stay as they are. With --commits that branch',
    "keeps the agent's own commits, and a further one has what it did not commit. Nothing is ever pushed. Work that git",
    'will execute, such as a hook, is named and refused without --yes. A note says if its checks failed.',
  ].join(' '),
  examples: ['baton apply @', 'baton apply 57 --branch money-tests', 'baton apply 57 --branch money-tests --commits'],
  ignores: ['key'],
  flags: {
    branch: { takes: 'value', shows: 'NAME', help: 'commit the work to this new branch' },
    commits: { takes: 'nothing', help: "keep the agent's own commits on that branch" },
    yes: { takes: 'nothing', short: 'y', help: 'also apply files that git would execute, such as hooks' },
  },
  plan(call) {
    const reference = taskWords(call, 'apply');
    const branch = flagText(call, 'branch');
    const yes = Boolean(call.flags.yes);
    const commits = Boolean(call.flags.commits);
    if (commits && branch === undefined) {
      throw new UsageError('--commits needs a branch for them', 'baton apply TASK --branch NAME --commits');
    }
    if (branch === '') throw new UsageError('--branch: the name is empty', 'baton apply TASK --branch NAME');
    const flags = { ...(branch !== undefined && { branch }), ...(commits && { commits }), ...(yes && { yes }) };
    return async (client) => {
      const report = await client.orderReport({ task: reference });
      const applied = await finishFirst('apply', client.applyWork({ task: reference, ...flags }));
      if (!isRefusal(report) && !isRefusal(applied)) printAside(failureNote(report));
      return answerOfCall(applied, {
        say: (work, style) => workText('applied', work, style),
        next: ({ task, commit }) =>
          commit === null ? `next: git diff; baton undo ${task}${folderFlagOf(call)} reverts it` : null,
      });
    };
  },
});

export const discardCommand = nodeCommand({
  usage: 'baton discard TASK [--json]',
  about:
    'Removes the worktree of a task. Baton keeps its last state until baton clean, so that apply can still merge it.',
  examples: ['baton discard @'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const reference = taskWords(call, 'discard');
    return async (client) =>
      answerOfCall(await client.discardWork({ task: reference }), {
        say: (work, style) => workText('discarded', work, style),
        next: ({ task }) => `next: baton apply ${task}${folderFlagOf(call)}  merge it into your files after all`,
      });
  },
});

export const undoCommand = nodeCommand({
  usage: 'baton undo TASK [--keep] [--json]',
  about: [
    'Takes back what a task did to files, small ignored ones too, to branches, tags, HEAD, index and stash, and nothing else.',
    'Your own changes since then stay, also in the same file. A branch that you moved since is refused by name; --keep',
    'leaves it. Where changes of files overlap with the work it is refused and the files are listed; with --keep your state',
    'of them is saved first, and the command that brings it back is shown. baton apply TASK brings the work back.',
  ].join(' '),
  examples: ['baton undo @', 'baton undo 57 --keep'],
  ignores: ['key'],
  flags: { keep: { takes: 'nothing', help: 'save changes that overlap, then undo' } },
  plan(call) {
    const reference = taskWords(call, 'undo');
    const keep = Boolean(call.flags.keep);
    return async (client) =>
      answerOfCall(await finishFirst('undo', client.undoWork({ task: reference, keep })), {
        say: (work, style) => workText('undone', work, style),
        next: ({ task, files, ignored, git }) =>
          files.length + ignored.length + git.length === 0
            ? null
            : `next: baton apply ${task}${folderFlagOf(call)}  bring the work back`,
      });
  },
});

export const verifyCommand = nodeCommand({
  usage: 'baton verify TASK [--json]',
  about: 'Runs the checks of a task again on the files as they are now. Exit 0 if all of them pass, 1 otherwise.',
  examples: ['baton verify @'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const reference = taskWords(call, 'verify');
    return async (client) =>
      answerOfCall(await client.verifyWork({ task: reference }), {
        say: verifyPage,
        exitCode: ({ isPassed }) => (isPassed ? 0 : 1),
      });
  },
});
