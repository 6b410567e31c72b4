import type { NodeClient } from '../../api/node-client.ts';
import type { RewindPreviewView } from '../../api/trace/trace-contract.ts';
import { isRefusal, refuse, refuseTask } from '../../domain/refusal.ts';
import { askLine, isInteractive, isYes } from '../../platform/terminal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { taskWords } from '../call-parts.ts';
import { type Call, flagText, UsageError } from '../command.ts';
import { finishFirst } from '../finish-first.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { printText } from '../output/print.ts';
import { styleOf } from '../output/style.ts';
import { pointsPage, previewPage, rewoundText } from './rewind-text.ts';

interface RewindArguments {
  readonly task: string;
  readonly to: string;
  readonly isKept: boolean;
  readonly isYes: boolean;
}

export const rewindCommand = nodeCommand({
  usage: 'baton rewind TASK [--to POINT] [--keep] [--yes] [--dry-run] [--json]',
  about: [
    'Lists the points that a task can go back to: each turn of its agent that changed files, and each move of the task, with the',
    'number of files that it added (+), changed (~) and removed (-). --to shows what going back would change, asks, and puts',
    'files and task back: tracked and untracked files, deleted, executable and linked ones, byte for byte. The state before it is',
    'saved first and is a point too, so a rewind can be rewound. Files that you changed since are named and refused; with',
    '--keep they are saved, then replaced. Files that git ignores, submodules, branches, commits, index and stash stay as they',
    'are. baton continue TASK then continues from there, with the same agent or another.',
  ].join(' '),
  examples: ['baton rewind @', 'baton rewind 57 --to 3', 'baton rewind 57 --to 3 --yes --json'],
  ignores: ['key'],
  flags: {
    to: { takes: 'value', shows: 'POINT', help: 'go back to this point' },
    keep: { takes: 'nothing', help: 'save files that were changed since, then replace them' },
    yes: { takes: 'nothing', short: 'y', help: 'do it without asking' },
    'dry-run': { takes: 'nothing', help: 'show what it would change, and change nothing' },
  },
  plan(call) {
    const task = taskWords(call, 'rewind');
    const to = flagText(call, 'to');
    const isDry = Boolean(call.flags['dry-run']);
    if (to === undefined) {
      const needless = ['keep', 'yes', 'dry-run'].find((name) => call.flags[name]);
      if (needless)
        throw new UsageError(`--${needless} needs a point`, `baton rewind ${task} --to POINT --${needless}`);
      return async (client) =>
        answerOfCall(await client.listPoints({ task }), {
          say: pointsPage,
          next: () => `next: baton rewind ${task} --to POINT  show what going back would change`,
        });
    }
    if (to === '') throw new UsageError('--to: the point is empty', `baton rewind ${task} lists the points`);
    const wanted = { task, to, isKept: Boolean(call.flags.keep), isYes: Boolean(call.flags.yes) };
    if (isDry) return async (client) => answerOfCall(await client.previewRewind({ task, to }), { say: previewPage });
    return async (client) => await rewind(client, wanted, call);
  },
});

async function rewind(client: NodeClient, wanted: RewindArguments, call: Call): Promise<NodeAnswer<unknown>> {
  const { task, to, isKept } = wanted;
  if (!wanted.isYes) {
    const preview = await client.previewRewind({ task, to });
    if (isRefusal(preview)) return refused(preview);
    const agreed = await agree(preview, wanted, call);
    if (agreed !== 'yes') return agreed;
  }
  return answerOfCall(await finishFirst('rewind', client.rewindTask({ task, to, ...(isKept && { keep: true }) })), {
    say: rewoundText,
    touched: (done) => [done.task],
    next: (done) =>
      [
        `next: baton continue ${done.task}  continue from there`,
        `next: baton rewind ${done.task} --to ${done.before}  take the rewind back`,
      ].join('\n'),
  });
}

async function agree(
  preview: RewindPreviewView,
  { task, to, isKept }: RewindArguments,
  call: Call,
): Promise<'yes' | NodeAnswer<unknown>> {
  const again = `baton rewind ${task} --to ${to}`;
  if (call.flags.json || !isInteractive()) {
    const refusal = refuse('invalid_argument', 'a rewind replaces files, and nobody can be asked here');
    return refused({ ...refusal, hint: `${again} --dry-run shows what it would change, --yes does it` });
  }
  await printText(`${previewPage(preview, styleOf(call))}\n`);
  if (preview.dirty.length > 0 && !isKept) {
    const refusal = refuseTask('changed_since', `${preview.dirty.length} of these files were changed since`, task);
    return refused({ ...refusal, hint: `${again} --keep saves them first`, details: preview.dirty });
  }
  const answer = (await askLine('Go back to this point? [y/N] ')) ?? '';
  if (isYes(answer)) return 'yes';
  return { values: [], human: () => '', summary: () => 'nothing was changed', exitCode: () => 0 };
}
