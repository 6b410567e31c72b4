/** As many callers ask at once, in one process, each waiting for its own answer. */
export const CALLERS = 64;

/** The input of one measurement. */
export interface Round {
  readonly lives: number;
  /** Played before the clock starts, so that compiled code is compared with compiled code. */
  readonly warmUpLives: number;
  /** Fresh, and on a real disk. */
  readonly folder: string;
  /** The server a peer talks to. */
  readonly port?: number;
  /** The folder of a peer's installed packages. */
  readonly packages?: string;
}

export interface Figure {
  readonly livesPerSecond: number;
  /** Beside the rate: what the contestant wants to be known, with the unit in the name. */
  readonly extra?: Readonly<Record<string, number>>;
}

/** Plays lives from first to last, every answer on disk, and says how fast that was. Run in a process of its own. */
export type Contestant = (round: Round) => Promise<Figure>;
