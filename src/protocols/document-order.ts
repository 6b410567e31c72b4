import type { Issue, Path } from './issue.ts';

/** Sorts findings by their position in the message; missing fields come after present ones. */
export function inDocumentOrder(value: unknown, issues: readonly Issue[]): readonly Issue[] {
  if (issues.length < 2) return issues;
  const known: KeyPlaces = new Map();
  const places = new Map(issues.map((issue) => [issue, placeOf(value, issue.path, known)]));
  return issues.toSorted((a, b) => comparePlaces(places.get(a) ?? [], places.get(b) ?? []));
}

/** The positions of an object's keys, cached: an object with many findings is indexed once. */
type KeyPlaces = Map<object, ReadonlyMap<string, number>>;

function placeOf(value: unknown, path: Path, known: KeyPlaces): number[] {
  let here = value;
  return path.map((part) => {
    const place = typeof here === 'object' && here !== null ? placesIn(here, known).get(String(part)) : undefined;
    here = place === undefined ? undefined : (here as Record<string | number, unknown>)[part];
    return place ?? Number.MAX_SAFE_INTEGER;
  });
}

function placesIn(parent: object, known: KeyPlaces): ReadonlyMap<string, number> {
  const before = known.get(parent);
  if (before) return before;
  const places = new Map(Object.keys(parent).map((key, place) => [key, place]));
  known.set(parent, places);
  return places;
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
