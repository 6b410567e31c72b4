import { lstatSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { AgentFacts } from '../../domain/agent.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import type { Repository } from '../../domain/repository.ts';
import { compareWithCommit } from '../../workspace/compare-with-commit.ts';
import { dependencyNotes } from './dependency-notes.ts';

export interface WorktreeQuestion {
  readonly order: Pick<Order, 'workspaceRoot' | 'worktree'>;
  /** Null where the agent is not configured. */
  readonly agent: Pick<AgentFacts, 'command'> | null;
  readonly repository: Repository;
  /** The commit that the worktree will be made of. */
  readonly head: string;
}

/** Notes of a plan about what a worktree lacks or shares with the user's checkout. */
export async function worktreeNotes(question: WorktreeQuestion): Promise<readonly string[]> {
  const { order, repository } = question;
  return [...(await agentNotes(question)), ...dependencyNotes(repository.root, order.worktree)];
}

/** The worktree stands in the place of the repository, so a program of the agent that lies there comes from the commit. */
async function agentNotes({ order, agent, repository, head }: WorktreeQuestion): Promise<readonly string[]> {
  const words = (agent?.command ?? []).map((word) => resolve(order.workspaceRoot, word));
  const files = [...new Set(words)].filter((path) => isWithin(repository.root, path) && isFile(path));
  const names = files.map((path) => relative(repository.root, path));
  const own = names.filter((name) => !order.worktree.include.some((each) => isWithin(each, name)));
  const notes = await Promise.all(
    own.map(async (name) => noteOf(name, await compareWithCommit(repository, head, name))),
  );
  return notes.filter((note) => note !== null);
}

function noteOf(name: string, found: 'absent' | 'same' | 'changed'): string | null {
  if (found === 'same') return null;
  const file = `${name}, which the agent runs`;
  if (found === 'changed')
    return `the worktree will have ${file}, without your uncommitted changes: commit them to use them`;
  const include = `baton config set worktree.include '${JSON.stringify([name])}'`;
  return `the worktree will not have ${file}: commit it, or ${include}`;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
