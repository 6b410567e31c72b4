import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure, Round } from './contestant.ts';
import { runInChild } from './run-in-child.ts';

const RUNNER = new URL('./run-contestant.ts', import.meta.url);

export interface Entrant {
  readonly name: string;
  /** The file with its contestant. */
  readonly file: URL;
  /** Its exported name; `measure` unless told. */
  readonly exported?: string;
  readonly settings: string;
  readonly round: Omit<Round, 'folder'>;
}

export interface Standing {
  readonly entrant: Entrant;
  readonly figures: readonly Figure[];
}

/** One measurement, in a process and a folder of its own. */
export function measureOnce(entrant: Entrant, folder: string): Promise<Figure> {
  const { file, exported = 'measure', round } = entrant;
  return runInChild<Figure>(RUNNER, [fileURLToPath(file), exported, JSON.stringify({ ...round, folder })]);
}

/** Every entrant once, then every entrant again: what else the machine does touches all alike. */
export async function contest(entrants: readonly Entrant[], rounds: number, folder: string): Promise<Standing[]> {
  const standings = entrants.map((entrant) => ({ entrant, figures: [] as Figure[] }));
  for (let round = 1; round <= rounds; round++) {
    for (const { entrant, figures } of standings) {
      const figure = await measureOnce(entrant, join(folder, `${entrant.name.replaceAll(' ', '-')}-${round}`));
      process.stderr.write(`round ${round}: ${entrant.name} ${Math.round(figure.livesPerSecond)} lives/s\n`);
      figures.push(figure);
    }
  }
  return standings;
}
