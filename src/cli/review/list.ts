import type { NodeClient } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { refused } from '../answer-of-call.ts';
import { folderFlagOf, taskWords } from '../call-parts.ts';
import type { Call } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { attentionPage } from './attention-text.ts';

export const reviewListCommand = nodeCommand({
  usage: 'baton review list [TASK] [--json]',
  about: [
    'Lists everything that waits for you, the most pressing first: questions of agents with the time that is left, pauses for money,',
    'incidents, work in review, blocked tasks. Of work in review the riskiest comes first: unchecked, with weakened tests, with a large',
    'difference, with changes outside of what the task names. baton status shows the same queue.',
  ].join(' '),
  examples: ['baton review list', 'baton review list 57', 'baton review list --json'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const task = call.words.length === 0 ? undefined : taskWords(call, 'review list');
    return async (client) => await listAnswer(call, client, task);
  },
});

async function listAnswer(call: Call, client: NodeClient, task: string | undefined): Promise<NodeAnswer<unknown>> {
  const list = await client.listAttention(task === undefined ? {} : { task });
  if (isRefusal(list)) return refused(list);
  const { items, total } = list;
  const isJson = Boolean(call.flags.json);
  const nothing = task === undefined ? 'nothing waits for you' : 'nothing of this task waits for you';
  return {
    // People get one page, so that its columns are aligned.
    values: isJson ? items : [items],
    human: (_value, style) => {
      if (isJson) return null;
      return items.length === 0 ? nothing : attentionPage(items, style, folderFlagOf(call));
    },
    summary: () => (total > items.length ? `and ${total - items.length} more: baton task list` : null),
    exitCode: () => 0,
  };
}
