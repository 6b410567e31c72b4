import type { PlanWorld } from './plan-world.ts';

/**
 * A world that looks at its surroundings once, for orders that are taken in together: they are judged by the same settings,
 * and each agent, program, grant and repository is looked at once, however many orders share it.
 */
export async function lookOnce<World extends PlanWorld>(world: World): Promise<World> {
  await world.roster.askVersions();
  const settings = world.roster.settings();
  return {
    ...world,
    surroundings: {
      ...world.surroundings,
      repositoryStatus: keepAnswers(world.surroundings.repositoryStatus, (folder) => folder),
    },
    sandboxes: {
      ...world.sandboxes,
      foldersToHide: keepAnswers(world.sandboxes.foldersToHide, (roots) => roots.join('\0')),
    },
    roster: {
      ...world.roster,
      askVersions: async () => {},
      settings: () => settings,
      needsOf: keepAnswers(world.roster.needsOf, (agent, workspace) => `${agent?.name ?? ''}\0${workspace}`),
      programPaths: keepAnswers(world.roster.programPaths, (agent) => agent?.name ?? ''),
    },
  };
}

function keepAnswers<Asked extends readonly unknown[], Answer>(
  ask: (...asked: Asked) => Answer,
  keyOf: (...asked: Asked) => string,
): (...asked: Asked) => Answer {
  const answers = new Map<string, Answer>();
  return (...asked) => {
    const key = keyOf(...asked);
    const kept = answers.get(key);
    if (kept !== undefined) return kept;
    const answer = ask(...asked);
    answers.set(key, answer);
    return answer;
  };
}
