import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { writeCommit } from './write-commit.ts';

for (const objectFormat of ['sha1', 'sha256'] as const) {
  test(`a commit is the one that git would have made, in ${objectFormat}`, () => {
    const repository = new TestRepository({ objectFormat });
    const tree = repository.git('rev-parse', 'HEAD^{tree}');
    for (const parent of [repository.git('rev-parse', 'HEAD'), null]) {
      const label = 'TASK-1 1/before';
      const commit = writeCommit(join(repository.root, '.git', 'objects'), { tree, parent, label, atMs: 1_789_999 });
      const who = 'Baton <baton@localhost> 1789 +0000';
      assert.equal(
        repository.git('cat-file', 'commit', commit),
        `tree ${tree}\n${parent ? `parent ${parent}\n` : ''}author ${who}\ncommitter ${who}\n\nbaton: ${label}`,
      );
      repository.git('fsck', '--strict', commit);
    }
  });
}
