const turns = new Map<string, Promise<unknown>>();

/** Runs work with the same key one after the other. Enough for shared files: one process at a time holds a data folder. */
export async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key) ?? Promise.resolve();
  const turn = before.then(work, work);
  turns.set(key, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
  }
}

interface Sharers {
  count: number;
  /** Called when the last of them is done. */
  readonly waiting: (() => void)[];
  alone: Promise<unknown> | null;
}

const shared = new Map<string, Sharers>();

/** Runs work beside other such work with the same key, but never beside `alone`. May be nested. */
export async function sharing<T>(key: string, work: () => Promise<T>): Promise<T> {
  const sharers = shared.get(key) ?? { count: 0, waiting: [], alone: null };
  shared.set(key, sharers);
  while (sharers.alone !== null) await sharers.alone;
  sharers.count++;
  try {
    return await work();
  } finally {
    sharers.count--;
    if (sharers.count === 0) for (const go of sharers.waiting.splice(0)) go();
  }
}

/** Runs work once nobody shares the key; who wants to share it then waits. */
export async function alone<T>(key: string, work: () => Promise<T>): Promise<T> {
  return oneAtATime(`alone: ${key}`, async () => {
    const sharers = shared.get(key) ?? { count: 0, waiting: [], alone: null };
    shared.set(key, sharers);
    while (sharers.count > 0) await new Promise<void>((go) => sharers.waiting.push(go));
    const turn = work();
    sharers.alone = turn.catch(() => null);
    try {
      return await turn;
    } finally {
      sharers.alone = null;
    }
  });
}
