import type { Finding } from './feedback.ts';

/** Two findings that mean the same. */
export interface Match {
  /** The index in each list. */
  readonly before: number;
  readonly after: number;
  /** From 0 to 1. */
  readonly score: number;
}

export interface MatchTerms {
  /** Both lists are of one reviewer, so an equal id is its word that both mean the same. */
  readonly isOneReviewer: boolean;
}

/** Tuned on half of test/fixtures/findings.json; docs/reviews.md has the figures of the other half. */
const MATCH_SCORE_MIN = 0.22;
const SAME_ID = 0.4;
/** An id counts only where the words are at all alike: careless reviewers use one for several findings. */
const SAME_ID_WORDS_MIN = 0.15;
const SAME_FILE = 0.05;
const SAME_NAME = 0.05;
const FAR_LINES = 0.06;
const FAR_LINES_FROM = 40;
/** The weight of each field in the comparison: the aspect says most. */
const WEIGHTS = { aspect: 1.5, description: 1, recommendation: 0.6 } as const;

/**
 * The findings of two lists that are the same, each at most once, the surest pairs first. A reviewer words a finding anew
 * each time and may rename it, so places and words decide, and an equal id only counts where they do not contradict it.
 */
export function matchFindings(
  before: readonly Finding[],
  after: readonly Finding[],
  { isOneReviewer }: MatchTerms,
): readonly Match[] {
  const earlier = before.map(featuresOf);
  const later = after.map(featuresOf);
  const rare = rarityOf([...earlier, ...later]);
  const candidates = later.flatMap((feature, at) =>
    candidatesOf(feature, earlier, rare).flatMap((index) => {
      const other = earlier[index] as Features;
      const isSameId = isOneReviewer && before[index]?.id === after[at]?.id;
      const score = similarity(other, feature, { rare, isSameId });
      return score < MATCH_SCORE_MIN ? [] : [{ before: index, after: at, score }];
    }),
  );
  return pairedOff(candidates);
}

function pairedOff(candidates: readonly Match[]): readonly Match[] {
  const taken = { before: new Set<number>(), after: new Set<number>() };
  const sorted = candidates.toSorted((a, b) => b.score - a.score || a.before - b.before || a.after - b.after);
  return sorted.filter(({ before, after }) => {
    if (taken.before.has(before) || taken.after.has(after)) return false;
    taken.before.add(before);
    taken.after.add(after);
    return true;
  });
}

interface Features {
  readonly id: string;
  /** Files that it names, by their last two parts. */
  readonly files: ReadonlySet<string>;
  readonly lines: readonly number[];
  /** Names of code: in backquotes, with brackets, in camelCase or snake_case. */
  readonly names: ReadonlySet<string>;
  /** Words with their weight. */
  readonly words: ReadonlyMap<string, number>;
}

/** Each pattern looks back, so that it starts once in a run of its characters: a text of megabytes without a blank takes linear time. */
const FILE = /(?<![\w@./-])[\w@./-]*\w\.[A-Za-z][A-Za-z0-9]{0,9}\b/g;
const LINE = /(?::|\blines?\s+|\bL)(\d{1,6})\b/g;
const NAME =
  /`([^`\n]{2,80})`|(?<![\w$.])[.$]*([A-Za-z_][\w$.]*)\(\)|\b([a-z]+(?:[A-Z][a-z0-9]+)+|[a-z0-9]+(?:_[a-z0-9]+)+)\b/g;
/** Endings of names that are products or abbreviations, not files. */
const NO_FILE = /^(?:e\.g|i\.e|etc|vs)$|^\d+\.\d+|\.(?:js|net|io)$/i;

function featuresOf({ id, aspect, description, recommendation }: Finding): Features {
  const place = `${aspect}\n${description}`;
  const names = [...`${place}\n${recommendation}`.matchAll(NAME)].map(([, a, b, c]) => plainName(a ?? b ?? c ?? ''));
  return {
    id,
    files: new Set((place.match(FILE) ?? []).filter(isFile).map(lastParts)),
    lines: [...place.matchAll(LINE)].map(([, line]) => Number(line)),
    names: new Set(names.filter((name) => name.length > 2)),
    words: weighed({ aspect, description, recommendation }),
  };
}

function isFile(word: string): boolean {
  return word.includes('/') || !NO_FILE.test(word);
}

function lastParts(path: string): string {
  return path.toLowerCase().split('/').slice(-2).join('/');
}

function plainName(name: string): string {
  return name.replaceAll(/[^\w.]/g, '').toLowerCase();
}

function weighed(texts: Readonly<Record<keyof typeof WEIGHTS, string>>): Map<string, number> {
  const words = new Map<string, number>();
  for (const [part, weight] of Object.entries(WEIGHTS)) {
    for (const word of wordsOf(texts[part as keyof typeof WEIGHTS])) {
      words.set(word, Math.max(words.get(word) ?? 0, weight));
    }
  }
  return words;
}

const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by can could do does for from had has have how if in into is it its may might more most ' +
    'must no nor not of on only or other our out over own same shall should so some still such than that the their them then ' +
    'there these they this those to too under until up use used using very was we were what when where which while who why ' +
    'will with within without would you your also any each every make makes made need needs add adding consider currently ' +
    'explicit explicitly instead rather e g i'
  ).split(' '),
);

/** The words beside the places, which are compared by themselves. */
function wordsOf(text: string): readonly string[] {
  const parts = text
    .replaceAll(FILE, (file) => (isFile(file) ? ' ' : file))
    .replaceAll(LINE, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return (parts.match(/[a-z][a-z0-9]+|\d{2,}/g) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stemOf);
}

/** Plurals and tenses of one word count as one word. */
function stemOf(word: string): string {
  if (word.length <= 4) return word.replace(/(?<=\w{3})s$/, '');
  return word
    .replace(/(?:ies)$/, 'y')
    .replace(/(?:ations?|ating|ated|ates)$/, 'ate')
    .replace(/(?:ings?|ed|es|s)$/, '')
    .replace(/e$/, '');
}

/** The weight of a word by how few findings have it: a word of all findings says nothing about one. */
type Rarity = (word: string) => number;

function rarityOf(all: readonly Features[]): Rarity {
  const counts = new Map<string, number>();
  for (const { words } of all) for (const word of words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const total = all.length;
  return (word) => Math.log(1 + total / (counts.get(word) ?? 1));
}

/** Only findings that share a rare word, a name or the id are compared: a thousand findings cost little more than ten. */
const COMPARED_MAX = 24;

function candidatesOf(feature: Features, all: readonly Features[], rare: Rarity): readonly number[] {
  if (all.length <= COMPARED_MAX) return all.map((_, at) => at);
  const index = indexOf(all);
  const votes = new Map<number, number>();
  for (const key of [`#${feature.id}`, ...feature.words.keys()]) {
    const found = index.get(key) ?? [];
    if (found.length > all.length / 4 && found.length > COMPARED_MAX) continue;
    for (const at of found) votes.set(at, (votes.get(at) ?? 0) + (key.startsWith('#') ? 100 : rare(key)));
  }
  return [...votes]
    .sort(([, a], [, b]) => b - a)
    .slice(0, COMPARED_MAX)
    .map(([at]) => at);
}

const indexes = new WeakMap<readonly Features[], ReadonlyMap<string, readonly number[]>>();

function indexOf(all: readonly Features[]): ReadonlyMap<string, readonly number[]> {
  const known = indexes.get(all);
  if (known) return known;
  const index = new Map<string, number[]>();
  all.forEach(({ id, words }, at) => {
    for (const key of [`#${id}`, ...words.keys()]) {
      const found = index.get(key);
      if (found) found.push(at);
      else index.set(key, [at]);
    }
  });
  indexes.set(all, index);
  return index;
}

interface Comparison {
  readonly rare: Rarity;
  readonly isSameId: boolean;
}

function similarity(a: Features, b: Features, { rare, isSameId }: Comparison): number {
  const words = cosine(a.words, b.words, rare);
  const isElsewhere = a.files.size > 0 && b.files.size > 0 && !meets(a.files, b.files);
  // The same words about another file are another finding, whatever its id.
  if (isElsewhere) return isSameId ? words + SAME_ID / 4 : 0;
  const isFileSame = a.files.size > 0 && meets(a.files, b.files);
  const isNameSame = meets(a.names, b.names);
  const place = (isFileSame ? SAME_FILE : 0) + (isNameSame ? SAME_NAME : 0) - (areFar(a, b) ? FAR_LINES : 0);
  // A place alone is no finding: two of them may be about one line.
  return words + Math.min(place, words) + (isSameId && words >= SAME_ID_WORDS_MIN ? SAME_ID : 0);
}

function meets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const entry of a) if (b.has(entry)) return true;
  return false;
}

/** An edit moves lines, so only a long way counts. */
function areFar(a: Features, b: Features): boolean {
  if (a.lines.length === 0 || b.lines.length === 0) return false;
  return a.lines.every((one) => b.lines.every((other) => Math.abs(one - other) >= FAR_LINES_FROM));
}

function cosine(a: Features['words'], b: Features['words'], rare: Rarity): number {
  let shared = 0;
  for (const [word, weight] of a) {
    const other = b.get(word);
    if (other !== undefined) shared += weight * other * rare(word) ** 2;
  }
  if (shared === 0) return 0;
  return shared / (lengthOf(a, rare) * lengthOf(b, rare));
}

function lengthOf(words: Features['words'], rare: Rarity): number {
  let sum = 0;
  for (const [word, weight] of words) sum += (weight * rare(word)) ** 2;
  return Math.sqrt(sum);
}
