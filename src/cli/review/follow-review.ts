import type { NodeClient } from '../../api/node-client.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import { isRefusal, type Refusal, refuseTask } from '../../domain/refusal.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Call } from '../command.ts';
import { NodeStopped, type OrderNode } from '../order/order-node.ts';
import { EXIT_PAUSED, EXIT_STOPPED, endingOf, exitCodeOf } from '../order/run-end.ts';
import type { RunUpdate } from '../order/run-text.ts';
import type { FeedbackUpdate } from './feedback-text.ts';
import { feedbackUpdates } from './follow-feedback.ts';

/** A run while it is shown. */
export interface FollowedRun {
  exitCode: number;
  isNodeStopped: boolean;
  /** The review of its work that is under way. */
  reviewing: string | null;
}

interface Following {
  readonly call: Call;
  readonly node: OrderNode;
  readonly state: FollowedRun;
}

/** The report of a run, and the review of its work by other agents where its policy asks for one; then how that ended. */
export async function* followReviewed(
  { call, node, state }: Following,
  report: OrderReport,
): AsyncGenerator<RunUpdate> {
  const { client } = node;
  const { feedback, reviewers, reason } = await beginPeerReview(client, report);
  const ending = await endingOf(call, client, report);
  if (feedback === null) return yield { kind: 'report', ...ending, ...(reason !== null && { unreviewed: reason }) };
  yield { kind: 'report', ...ending, reviewers };
  state.reviewing = feedback;
  let isStopped = false;
  for await (const update of followReview(call, node, feedback)) {
    if (update.kind === 'refusal') {
      state.isNodeStopped = update.refusal.code === 'node_stopped';
      if (state.isNodeStopped) state.exitCode = EXIT_PAUSED;
      return yield update;
    }
    isStopped = update.kind === 'end' && update.view.end?.why === 'stopped';
    yield { kind: 'review', update };
  }
  const last = await client.orderReport({ task: report.task.id });
  if (isRefusal(last)) return yield { kind: 'refusal', refusal: last };
  state.exitCode = isStopped ? EXIT_STOPPED : exitCodeOf(last);
  yield { kind: 'report', ...(await endingOf(call, client, last)), isAgain: last.round === report.round };
}

/** The review of an order's work by the agents of its policy. */
interface PeerReview {
  /** fbk_…; null where nobody reviews it. */
  readonly feedback: string | null;
  readonly reviewers: readonly string[];
  /** Why nobody of the policy does; null where no policy asks for it. */
  readonly reason: string | null;
}

const NO_REVIEW: PeerReview = { feedback: null, reviewers: [], reason: null };

/** Has the work reviewed, if it is in review and a policy asks for it. A review that the node began by itself is the same one. */
async function beginPeerReview(client: NodeClient, { task, isStopped }: OrderReport): Promise<PeerReview> {
  if (task.status !== 'review' || isStopped) return NO_REVIEW;
  const begun = await client.beginReview({ task: task.id });
  if (isRefusal(begun)) return { ...NO_REVIEW, reason: begun.message };
  const { feedback, reason } = begun;
  const view = feedback === null ? null : await client.showFeedback({ feedback });
  return { feedback, reason, reviewers: view === null || isRefusal(view) ? [] : view.reviewers };
}

/** Shows a review until it is over. The last update is a refusal if the node is asked to stop meanwhile. */
async function* followReview(call: Call, node: OrderNode, feedback: string): AsyncGenerator<FeedbackUpdate> {
  try {
    await node.carry({ feedback });
    yield* feedbackUpdates(call, node.client, feedback);
  } catch (error) {
    if (!(error instanceof NodeStopped)) throw error;
    yield { kind: 'refusal', refusal: pausedBy(call, feedback) };
  }
}

function pausedBy(call: Call, feedback: string): Refusal {
  const message = 'the node was stopped in the middle of a review: the work stays as it is, and in review';
  return {
    ...refuseTask('node_stopped', message, feedback),
    hint: `baton feedback ${feedback}${folderFlagOf(call)} continues it`,
  };
}
