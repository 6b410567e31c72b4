import type { SendAnswer } from '../api/contract.ts';
import type { RevokeAnswer } from '../api/external/external-contract.ts';
import type { NodeClient } from '../api/node-client.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Channel, RunHolder } from '../domain/task/channel.ts';

/** Everything that the clients of other callers than the operator are made from. */
export interface RightsParts {
  /** All calls, for the operator. */
  readonly client: NodeClient;
  receive(text: string, channel: Channel, key?: string): Promise<SendAnswer>;
  /** The task and agent of a run, live or ended. */
  holderOf(runId: string): RunHolder | null;
  revokeAs(who: string, actor: string): Promise<RevokeAnswer | Refusal>;
}
