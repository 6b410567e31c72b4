import type { NodeClient } from '../../api/node-client.ts';
import { TREE_WAIT_MS_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { seenFolderOf } from '../call-folder.ts';
import type { Answer, Call, Command, CommandText } from '../command.ts';
import { openClient } from './open-client.ts';

/** An answer of a node, and the tasks whose files it changes. */
export interface NodeAnswer<Value> extends Answer<Value> {
  readonly touched?: readonly string[];
}

export interface NodeCommand extends CommandText {
  /** It changes nothing: a data folder that is named must exist. */
  readonly onlyLooks?: boolean;
  /** Checks the call before anything is opened or created; the function it returns then asks the node. */
  plan(call: Call): Asked | Promise<Asked>;
}

export type Asked = (client: NodeClient) => Promise<NodeAnswer<unknown>>;

const LATE_TREE = 'the change is stored, but the files do not show it yet; baton status shows why';

/** A command that talks to a node: connects, waits until the tree shows the change, and closes the connection. */
export function nodeCommand({ plan, onlyLooks, ...text }: NodeCommand): Command {
  return {
    ...text,
    run: async (call) => {
      const ask = await plan(call);
      if (onlyLooks) seenFolderOf(call);
      const client = await openClient(call);
      try {
        const answer = await ask(client);
        const isShown = await treeShows(client, answer.touched ?? []);
        const finish = async () => {
          await client.close();
          return isShown ? null : LATE_TREE;
        };
        return { ...answer, finish };
      } catch (error) {
        await client.close();
        throw error;
      }
    },
  };
}

/** Waits until the files of these tasks show the change; false after a timeout. */
export async function treeShows(client: NodeClient, tasks: readonly string[]): Promise<boolean> {
  if (tasks.length === 0) return true;
  const settled = client.treeSettled({ tasks });
  if (!(await waitAtMost(settled, TREE_WAIT_MS_MAX))) return false;
  const answer = await settled;
  return !isRefusal(answer) && answer.settled;
}
