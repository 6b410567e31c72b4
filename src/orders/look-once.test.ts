import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentFacts } from '../domain/agent/agent.ts';
import { lookOnce } from './look-once.ts';
import type { PlanWorld } from './plan-world.ts';

test('orders that are taken in together look at each agent, program, grant and repository once, and at the settings once', async () => {
  const asked: string[] = [];
  const tell =
    <Answer>(name: string, answer: Answer) =>
    () => {
      asked.push(name);
      return answer;
    };
  const world = {
    surroundings: { repositoryStatus: tell('status', Promise.resolve({ kind: 'none' })) },
    sandboxes: { foldersToHide: tell('folders', Promise.resolve({ folders: [], isWhole: true })) },
    roster: {
      askVersions: tell('versions', Promise.resolve()),
      settings: tell('settings', { agents: [] }),
      needsOf: tell('needs', {}),
      programPaths: tell('paths', []),
    },
  } as unknown as PlanWorld;
  const seen = await lookOnce(world);
  const [emma, forge] = ['emma', 'forge'].map((name) => ({ name }) as AgentFacts);
  for (const agent of [emma, forge, emma, null, forge, null]) {
    await seen.roster.askVersions();
    seen.roster.settings();
    await seen.sandboxes.foldersToHide(['/work']);
    seen.roster.needsOf(agent ?? null, '/work');
    seen.roster.programPaths(agent ?? null);
  }
  for (const folder of ['/work', '/work', '/other']) await seen.surroundings.repositoryStatus(folder);
  await seen.sandboxes.foldersToHide(['/work', '/other']);
  const counts = Object.fromEntries(
    Object.entries(Object.groupBy(asked, (name) => name)).map(([n, l]) => [n, l?.length]),
  );
  assert.deepEqual(counts, { versions: 1, settings: 1, folders: 2, needs: 3, paths: 3, status: 2 });
});
