import type { Issue, Path } from './issue.ts';

/** Findings stand in the order of the message they are about; what is missing comes after what is there. */
export function inDocumentOrder(value: unknown, issues: readonly Issue[]): readonly Issue[] {
  if (issues.length < 2) return issues;
  const known: KeyPlaces = new Map();
  const places = new Map(issues.map((issue) => [issue, placeOf(value, issue.path, known)]));
  return issues.toSorted((a, b) => comparePlaces(places.get(a) ?? [], places.get(b) ?? []));
}

/** Where each key of an object stands; kept, so that an object with many findings costs its keys once. */
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
