import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type OrderRun, orderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.alone('run-git-identity');
const JANE = '[user]\n\tname = Jane \\"J\\" Doe\n\temail = jane@example.org\n';
/** Settings of the user that no agent gets. */
const OTHERS =
  '[core]\n\thooksPath = /home/jane/hooks\n[credential]\n\thelper = store\n[alias]\n\tci = commit\n[user]\n\tsigningKey = AB12\n';
const COMMIT = 'echo a > a.txt; git add a.txt && git commit -qm did && git log -1 "--format=%an <%ae> %cn <%ce>"';

/** A home with a git configuration, whose included file has the identity. */
function home(config: string): string {
  const folder = join(stage.folder, `home-${config.length}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'identity'), config);
  writeFileSync(join(folder, '.gitconfig'), `${OTHERS}[include]\n\tpath = ${join(folder, 'identity')}\n`);
  return folder;
}

function withoutIdentity(): TestRepository {
  const repository = stage.repository();
  for (const field of ['name', 'email']) repository.git('config', '--unset', `user.${field}`);
  return repository;
}

async function work({ root }: TestRepository, script: string, HOME: string, ...flags: string[]): Promise<OrderRun> {
  const file = stage.write(taskFor('runs-a-script', root, { task: { objective: script } }));
  return orderRun(await stage.data.run(['run', file, '--json', ...flags], { environment: { HOME } }));
}

/** Lines that the agent's script printed. */
function printed({ response, stdout, stderr }: OrderRun): readonly string[] {
  return response.execution_summary?.actions?.slice(1) ?? [stdout + stderr];
}

describe('the identity of an agent’s commits', { skip: noBubblewrap }, () => {
  for (const flags of [[], ['--worktree']]) {
    const where = flags.length === 0 ? 'in place' : 'in a worktree';

    test(`${where}, an agent commits as the user, by the user’s own configuration`, async () => {
      const run = await work(withoutIdentity(), COMMIT, home(JANE), ...flags);
      const jane = 'Jane "J" Doe <jane@example.org>';
      assert.deepEqual(printed(run), [`${jane} ${jane}`]);
    });

    test(`${where}, the identity of the repository counts before that of the home`, async () => {
      const run = await work(stage.repository(), COMMIT, home(JANE), ...flags);
      assert.deepEqual(printed(run), ['test@example <test@example> test@example <test@example>']);
    });

    test(`${where}, an agent can commit under its own name, and a check commits as the user`, async () => {
      const own = COMMIT.replace('git commit', 'git -c user.name=agent -c user.email=agent@example commit');
      const run = await work(
        withoutIdentity(),
        own,
        home(JANE),
        '--check',
        'git commit-tree HEAD^{tree} -m x',
        ...flags,
      );
      assert.deepEqual(printed(run), ['agent <agent@example> agent <agent@example>']);
      assert.equal(run.exit, 0, run.stdout);
    });

    test(`${where}, no other setting of the user reaches the agent, and none that it could write`, async () => {
      const script = 'git config --list --name-only; echo x >> "$GIT_CONFIG_SYSTEM" || echo sealed';
      const run = await work(withoutIdentity(), script, home(JANE), ...flags);
      const names = printed(run).join('\n');
      assert.match(names, /^user\.name\nuser\.email$/m);
      assert.doesNotMatch(names, /hookspath|credential\.helper|alias|signingkey/i);
      assert.match(names, /^sealed$/m);
    });

    test(`${where}, without an identity of the user nothing is made up`, async () => {
      const script = `${COMMIT}; git config user.name; git config user.email; echo "[$GIT_CONFIG_SYSTEM]"`;
      const run = await work(withoutIdentity(), script, home('[user]\n\tname = Jane\n'), ...flags);
      assert.deepEqual(
        printed(run).filter((line) => line.startsWith('[') || line.includes('Jane')),
        ['[]'],
      );
    });
  }
});
