import type { PlanWorld } from './roster.ts';

/**
 * A world that looks at its surroundings once, for orders that are taken in together: they are judged by the same settings,
 * and each agent, program and grant is looked at once, however many orders share it.
 */
export async function lookOnce<World extends PlanWorld>(world: World): Promise<World> {
  await world.askVersions();
  const settings = world.settings();
  return {
    ...world,
    askVersions: async () => {},
    settings: () => settings,
    foldersToHide: keepAnswers(world.foldersToHide, (roots) => roots.join('\0')),
    needsOf: keepAnswers(world.needsOf, (agent, workspace) => `${agent?.name ?? ''}\0${workspace}`),
    programPaths: keepAnswers(world.programPaths, (agent) => agent?.name ?? ''),
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
