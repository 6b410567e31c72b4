import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RunStage, taskFor } from '../run-stage.ts';
import type { TestRepository } from '../test-repository.ts';

export const stage = await RunStage.up('run-left-for-git');

export const home = join(stage.folder, 'home');

export interface Attack {
  /** The user's repository before the run. */
  readonly given?: (repository: TestRepository) => void;
  /** The agent's script. `$EVIL` is its program, which leaves a mark when the user's git runs it. */
  readonly script: string;
  /** The user's commands afterwards. */
  readonly next: readonly string[];
  /** Matches a path that the report must name; null where the sandbox prevents the attack. */
  readonly names: RegExp | null;
}

// The path contains a blank, and a shell reads it.
export const EVIL = 'EVIL="\'$PWD/evil.sh\'"; printf "#!/bin/sh\\ntouch MARK\\n" > evil.sh; chmod +x evil.sh';

export const INIT = (folder: string) => `git init -q ${folder}; git -C ${folder} config core.fsmonitor "$EVIL"`;

const SCRIPT = '#!/bin/sh\nexit 0\n';

export function withHusky(repository: TestRepository): void {
  repository.write('.husky/_/pre-commit', SCRIPT, 0o755);
  repository.write('.husky/_/.gitignore', '*\n');
  repository.write('.husky/pre-commit', 'true\n', 0o755);
  repository.git('config', 'core.hooksPath', '.husky/_');
  repository.commit('husky');
}

/** An ignored script that the user's configuration runs. */
export function withTool(...settings: readonly string[]) {
  return (repository: TestRepository): void => {
    repository.write('.gitignore', '/tools/\n');
    repository.write('tools/tool.sh', SCRIPT, 0o755);
    repository.commit('tools');
    for (const setting of settings) {
      const [name = '', value = ''] = setting.split('=');
      repository.git('config', name, value);
    }
  };
}

/** The user's git: an own home, and nothing that waits for an answer. */
export function user(repository: TestRepository, command: string): void {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
  };
  execFileSync('/bin/sh', ['-c', `(${command}) >/dev/null 2>&1 </dev/null; exit 0`], {
    cwd: repository.root,
    env,
    timeout: 20_000,
  });
}

export interface LeftWords {
  readonly executed_by_git: readonly { readonly path: string; readonly reason: string }[];
  readonly not_looked_at: readonly string[];
}

/** The attack is a real one: without the sandbox git runs the agent's program. */
function assertWorksOutside(
  script: string,
  { given, next, mark }: Pick<Attack, 'next'> & { readonly given: Attack['given'] | undefined; readonly mark: string },
) {
  const repository = stage.repository();
  given?.(repository);
  user(repository, script);
  for (const command of next) user(repository, command);
  assert.ok(existsSync(mark), 'this attack does nothing outside of the sandbox either');
  rmSync(mark);
}

export async function attack(does: string, { given, script, next, names }: Attack) {
  const repository = stage.repository();
  given?.(repository);
  const before = repository.files();
  const mark = join(stage.folder, `mark-${does.replaceAll(/\W+/g, '-')}`);
  const objective = `${EVIL}; ${script}`.replaceAll('MARK', mark);
  if (names === null) assertWorksOutside(objective, { given, next, mark });
  const run = await stage.run(taskFor('runs-a-script', repository.root, { task: { objective } }));
  for (const command of next) user(repository, command);
  const { executed_by_git: executed, not_looked_at: notLookedAt } = run.own as unknown as LeftWords;
  const warnings = run.response.execution_summary?.warnings ?? [];
  return { ...run, repository, before, hasRun: existsSync(mark), executed, notLookedAt, warnings };
}
