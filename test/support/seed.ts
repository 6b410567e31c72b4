/** The seed of every random suite; the same seed gives the same cases. BATON_SEED overrides it. */
export const SEED = Number(process.env.BATON_SEED ?? 20_260_226);

/** Numbers from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

/** mulberry32: small, and the same on every machine. Each case has its own, so that one case can be run alone. */
export function randomOf(seed: number, index: number): Random {
  let state = (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca6b)) | 0;
  return (below) => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random(items.length)] as Item;
}
