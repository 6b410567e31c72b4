/** The price of a model's tokens, as the user's table has it: US dollars for a million of them. */
export interface Price {
  /** The day on which the user looked the prices up, such as 2026-11-01. */
  readonly date: string;
  readonly inputUsd: number;
  /** The price of input that the vendor had cached. */
  readonly cachedInputUsd: number;
  readonly outputUsd: number;
}

export interface CountedTokens {
  /** All input, what was cached included. */
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** The price of the first of these models that the table names; a name also covers the dated versions of its model. */
export function priceOf(table: Readonly<Record<string, Price>>, models: readonly string[]): Price | null {
  for (const model of models) {
    const name = Object.keys(table)
      .filter((each) => model === each || model.startsWith(`${each}-`))
      .sort((one, other) => other.length - one.length)[0];
    if (name !== undefined) return table[name] ?? null;
  }
  return null;
}

const MICRO = 1_000_000;

/** Dollars, exact to a millionth: whole numbers are multiplied and added, and the sum is rounded once. */
export function costUsdOf({ inputUsd, cachedInputUsd, outputUsd }: Price, tokens: CountedTokens): number {
  const cached = Math.min(tokens.cachedInput, tokens.input);
  const parts: readonly (readonly [number, number])[] = [
    [tokens.input - cached, inputUsd],
    [cached, cachedInputUsd],
    [tokens.output, outputUsd],
  ];
  const sum = parts.reduce((total, [count, usd]) => total + BigInt(Math.round(count)) * micro(usd), 0n);
  return Number((sum + BigInt(MICRO / 2)) / BigInt(MICRO)) / MICRO;
}

function micro(usd: number): bigint {
  return BigInt(Math.round(usd * MICRO));
}
