import type { PlacedFinding } from './exchange-fact.ts';
import type { Finding } from './feedback.ts';
import type { ExchangeItem } from './feedback-exchange.ts';
import { matchFindings } from './match-findings.ts';

/**
 * The items that a reviewer's findings are. Its own ids are stable (afp:stable-ids), so a known id is the same item; equal findings
 * of other reviewers are found by place and words, and anything else is a new item.
 */
export function placeFindings(
  items: readonly ExchangeItem[],
  reviewer: string,
  findings: readonly Finding[],
): readonly PlacedFinding[] {
  const own = new Map(items.flatMap(({ id, idOf }) => (idOf[reviewer] === undefined ? [] : [[idOf[reviewer], id]])));
  const others = items.filter(({ idOf }) => idOf[reviewer] === undefined);
  const fresh = findings.filter(({ id }) => !own.has(id));
  const matches = matchFindings(
    others.map(({ finding }) => finding),
    fresh,
    { isOneReviewer: false },
  );
  const matched = new Map(matches.map(({ before, after }) => [fresh[after]?.id, others[before]?.id]));
  const taken = new Set(items.map(({ id }) => id));
  return findings.map((finding) => {
    const known = own.get(finding.id) ?? matched.get(finding.id);
    const item = known ?? freeId(finding.id, taken);
    taken.add(item);
    return { item, finding };
  });
}

/** The items that the points of a person's return are: one that was made before, about the same place in alike words, keeps its id. */
export function placePoints(items: readonly ExchangeItem[], points: readonly Finding[]): readonly PlacedFinding[] {
  const earlier = items.map(({ finding }) => finding);
  const matches = matchFindings(earlier, points, { isOneReviewer: false });
  const known = new Map(matches.map(({ before, after }) => [after, items[before]?.id]));
  return points.map((point, at) => {
    const item = known.get(at) ?? point.id;
    return { item, finding: { ...point, id: item } };
  });
}

const ID_CHARACTERS_MAX = 128;

/** An id that no other item has. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const free = `${id.slice(0, ID_CHARACTERS_MAX - suffix.length)}${suffix}`;
    if (!taken.has(free)) return free;
  }
}
