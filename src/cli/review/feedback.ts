import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { NodeClient, RequestOf } from '../../api/node-client.ts';
import type { FeedbackOpened } from '../../api/review/feedback-contract.ts';
import { ARTIFACT_BYTES_MAX, FEEDBACK_ROUNDS_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { isWithoutLedger } from '../../platform/files/data-folder.ts';
import { isInteractive } from '../../platform/terminal.ts';
import { refused } from '../answer-of-call.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { refuseNothingStored } from '../node/open-client.ts';
import { openOrderNode } from '../order/order-node.ts';
import { checkFlags } from '../order/read-order-request.ts';
import { leave } from '../order/submit-order.ts';
import { textOrInput } from '../read-input.ts';
import { followFeedback } from './follow-feedback.ts';

const EXAMPLE = 'baton feedback docs/plan.md --from critic';

export const feedbackCommand: CliCommand = {
  usage: 'baton feedback FILE|TASK|- [--from AGENT[,AGENT]] [--fix AGENT] [--rounds N] [--ask TEXT] [--json]',
  about: [
    [
      'Asks other agents for feedback on a file, on the work of a task, or on standard input. With --fix an agent deals with the findings',
      'in a worktree, with its checks, and says what it did about each; the reviewers are asked again until nothing is left, nothing new',
      'comes, or the rounds are used up. Without --fix, at a terminal, you decide on each finding with one key. Reviewers only read.',
      'A finding that comes back after it was rejected is shown as disputed, with both reasons.',
    ].join(' '),
    [
      'A task without --from: the review that its policy asks for (review.by in the configuration) starts or continues; a task without such a',
      'policy shows its last review. An id (fbk_…) resumes feedback that was interrupted.',
    ].join(' '),
    'Exit: 0 nothing left · 3 something is left · 1 failed · 2 not begun · 5 its node was stopped · 130 stopped by you.',
  ].join('\n'),
  examples: [
    EXAMPLE,
    'baton feedback src/money.ts --from critic,gemini --fix emma --check "npm test"',
    'baton feedback 57 --from critic --ask "is the locking right?"',
    'baton feedback 57',
  ],
  ignores: ['key'],
  flags: {
    from: { takes: 'value', shows: 'AGENTS', help: 'who reviews, separated by commas; baton agents lists them' },
    fix: { takes: 'value', shows: 'AGENT', help: 'the agent that deals with the findings, in a worktree' },
    decide: { takes: 'nothing', help: 'you decide on each finding, and the agent of --fix does what you accept' },
    rounds: { takes: 'value', shows: 'N', help: 'how often the reviewers are asked at most (default: 3)' },
    ask: { takes: 'value', shows: 'TEXT', help: 'a question for the reviewers' },
    check: { takes: 'values', shows: 'COMMAND', help: 'a command that must pass after each change; repeatable' },
  },
  async run(call) {
    const [word = ''] = call.words;
    const request = word.startsWith('fbk_') ? null : await requestOf(call);
    // A file or standard input may be the first thing that is stored; a task or an id is there, or it is not.
    const nothing =
      request === null || request.task !== undefined
        ? await refuseNothingStored(call, (client) => client.showFeedback({ feedback: word }))
        : await refuseUnknownAgent(call, request);
    if (nothing) return refused(nothing);
    const node = await openOrderNode(call, process.cwd());
    try {
      const begun =
        request === null
          ? await node.client.carryFeedback({ feedback: word })
          : request.from.length === 0
            ? await reviewOf(node.client, word)
            : await node.client.beginFeedback(request);
      if (isRefusal(begun)) return await leave(node, refused(begun));
      return followFeedback(call, node, begun.feedback);
    } catch (error) {
      await node.close();
      throw error;
    }
  },
};

/** The review by the policy of a task, begun or under way; without one, its last review. */
async function reviewOf(client: NodeClient, task: string): Promise<FeedbackOpened | Refusal> {
  const begun = await client.beginReview({ task });
  if (isRefusal(begun)) return begun;
  if (begun.feedback !== null) return { feedback: begun.feedback };
  const list = await client.listFeedback({ task });
  if (isRefusal(list)) return list;
  const [last] = list.feedbacks;
  if (last) return { feedback: last.feedback };
  const refusal = refuse(
    'invalid_argument',
    begun.reason ?? `nobody has reviewed ${begun.task}, and no policy asks for it`,
  );
  return { ...refusal, hint: `name who reviews it: baton feedback ${begun.task} --from AGENT` };
}

/** Refuses a name that is no agent before anything is stored; null for any other request. */
async function refuseUnknownAgent(call: Call, { from, fix }: Request): Promise<Refusal | null> {
  if (!isWithoutLedger(dataFolderOf(call))) return null;
  const { agents } = await (await import('../agent/agent-views.ts')).listAgents(call);
  const unknown = [...from, ...(fix === undefined ? [] : [fix])].find(
    (each) => !agents.some(({ name }) => name === each),
  );
  return unknown === undefined ? null : refuse('agent-not-found', `there is no agent ${JSON.stringify(unknown)}`);
}

type Request = RequestOf<'beginFeedback'>;

async function requestOf(call: Call): Promise<Request> {
  const [word, ...others] = call.words;
  if (word === undefined) throw new UsageError('feedback: on what?', EXAMPLE);
  if (others.length > 0)
    throw new UsageError(`feedback: takes one artifact, not also ${JSON.stringify(others[0])}`, EXAMPLE);
  const from = namesIn(flagText(call, 'from') ?? '');
  const artifact = await artifactOf(word);
  const isTaskAlone = artifact.task !== undefined && ASKING.every((flag) => call.flags[flag] === undefined);
  if (from.length === 0 && !isTaskAlone)
    throw new UsageError('feedback: who reviews it? name an agent with --from', EXAMPLE);
  const fix = flagText(call, 'fix');
  const ask = flagText(call, 'ask');
  const isPerson = isInteractive() && !call.flags.json;
  if (call.flags.decide && !isPerson) throw new UsageError('feedback: --decide needs a terminal', EXAMPLE);
  return {
    ...artifact,
    workspace: process.cwd(),
    from,
    checks: [...checkFlags(call)],
    rounds: roundsOf(call),
    ...(fix !== undefined && { fix }),
    ...(ask !== undefined && { ask }),
    ...((call.flags.decide || (isPerson && fix === undefined)) && { decide: 'person' as const }),
  };
}

/** With one of these, somebody new is asked. */
const ASKING = ['from', 'fix', 'ask', 'rounds', 'check', 'decide'] as const;

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

const FILE_LIKE = /\/|\.[a-z0-9]{1,8}$/i;

/** A file that is there, standard input, or else a task. */
async function artifactOf(word: string): Promise<Pick<Request, 'file' | 'text' | 'task'>> {
  if (word === '-') return { text: await textOrInput('-', ARTIFACT_BYTES_MAX) };
  const stats = statSync(word, { throwIfNoEntry: false });
  if (stats?.isDirectory())
    throw new UsageError(`feedback: ${word} is a folder, not a file`, EXAMPLE, 'unreadable_file');
  if (stats) return { file: resolve(word) };
  if (FILE_LIKE.test(word))
    throw new UsageError(`cannot read ${word}: there is no such file`, EXAMPLE, 'unreadable_file');
  return { task: word };
}

function roundsOf(call: Call): number {
  const given = flagText(call, 'rounds') ?? '3';
  const rounds = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (rounds >= 1 && rounds <= FEEDBACK_ROUNDS_MAX) return rounds;
  throw new UsageError(
    `--rounds: ${JSON.stringify(given)} is not a number from 1 to ${FEEDBACK_ROUNDS_MAX}`,
    '--rounds 3',
  );
}
