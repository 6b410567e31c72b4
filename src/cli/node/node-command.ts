import type { NodeClient } from '../../api/node-client.ts';
import { TREE_WAIT_MS_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { HOW_TO_BEGIN } from '../../platform/files/data-folder.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { dataFolderOf } from '../call-folder.ts';
import type { Answer, Call, CliCommand, CommandText } from '../command.ts';
import { openClient, openSeen } from './open-client.ts';

/** An answer of a node, and the tasks whose files it changes. */
export interface NodeAnswer<Value> extends Answer<Value> {
  readonly touched?: readonly string[];
}

export interface NodeCommand extends CommandText {
  /** It stores something new, so it creates the data folder; every other command leaves an empty place as it is. */
  readonly creates?: boolean;
  /** Checks the call before anything is opened or created; the function it returns then asks the node. */
  plan(call: Call): NodeCall | Promise<NodeCall>;
}

export type NodeCall = (client: NodeClient) => Promise<NodeAnswer<unknown>>;

const LATE_TREE = 'the change is stored, but the files do not show it yet; baton status shows why';

/** A command that talks to a node: connects, waits until the tree shows the change, and closes the connection. */
export function nodeCommand({ plan, creates, ...text }: NodeCommand): CliCommand {
  return {
    ...text,
    run: async (call) => {
      const ask = await plan(call);
      const { client, isEmpty } = creates ? { client: await openClient(call), isEmpty: false } : await openSeen(call);
      try {
        const answer = isEmpty ? withPlace(await ask(client), call) : await ask(client);
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

/** A reader who finds nothing learns where Baton looked, and how to begin. */
function withPlace(answer: NodeAnswer<unknown>, call: Call): NodeAnswer<unknown> {
  if (answer.exitCode() !== 0) return answer;
  const place = `nothing is stored in ${dataFolderOf(call)} yet: ${HOW_TO_BEGIN}`;
  return { ...answer, summary: () => [answer.summary?.() ?? null, place].filter((line) => line !== null).join('\n') };
}

/** Waits until the files of these tasks show the change; false after a timeout. */
export async function treeShows(client: NodeClient, tasks: readonly string[]): Promise<boolean> {
  if (tasks.length === 0) return true;
  const settled = client.treeSettled({ tasks });
  if (!(await waitAtMost(settled, TREE_WAIT_MS_MAX))) return false;
  const answer = await settled;
  return !isRefusal(answer) && answer.settled;
}
