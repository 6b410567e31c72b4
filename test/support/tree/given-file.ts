import type { TaskName } from '../../../src/domain/task/task.ts';
import { TestOpenTree } from './test-open-tree.ts';

export interface GivenFile {
  readonly tree: TestOpenTree;
  readonly id: TaskName;
  /** The path of the task's file. */
  readonly path: string;
  /** As Baton wrote it. */
  readonly text: string;
}

export const BODY = 'Do it.\n\nThen that.\n\n## Work Log\n\n- one\n- two\n';

export async function given(facts: Parameters<TestOpenTree['life']['create']>[0] = {}): Promise<GivenFile> {
  const tree = TestOpenTree.started();
  const id = await tree.life.inStatus('ready', { body: BODY, ...facts });
  await tree.look();
  const path = `tasks/ready/${id}.md`;
  return { tree, id, path, text: tree.text(path) };
}
