import { type AST, RegExpParser } from '@eslint-community/regexpp';
import type { Expression } from './expressions.ts';

/** A part that is repeated, between what an expression needs before it and what it cannot accept after it. */
export interface Attack {
  readonly before: string;
  readonly part: string;
  readonly after: string;
}

type Opening = Pick<Attack, 'before' | 'part'>;
type Element = AST.Element | AST.QuantifiableElement;

const parser = new RegExpParser();
const PARTS_MAX = 64;
const TIMES_MAX = 64;
const SAMPLES_MAX = 3;
/** Few expressions accept the first; with the second a text may nearly match. */
const ENDS = ['\n\u0001', ''];

/**
 * Texts on which a backtracking engine would try again and again: what each quantifier repeats, and each sequence within the
 * expression, which an unanchored search or a quantifier before it tries at every place.
 */
export function attacksOn({ source, flags }: Pick<Expression, 'source' | 'flags'>): readonly Attack[] {
  const pattern = parser.parsePattern(source, 0, source.length, { unicode: flags.includes('u') });
  const openings = pattern.alternatives.flatMap(({ elements }) => openingsIn(elements, ''));
  const unique = new Map(openings.map((opening) => [JSON.stringify(opening), opening]));
  const kept = [...unique.values()].filter(({ part }) => part !== '').slice(0, PARTS_MAX);
  return kept.flatMap((opening) => ENDS.map((after) => ({ ...opening, after })));
}

function openingsIn(elements: readonly Element[], before: string): readonly Opening[] {
  const samples = wordsOf(elements);
  const begun = (at: number) => before + samples.slice(0, at).join('');
  const inside = elements.flatMap((element, at) => {
    return openingsWithin(element, before + wordsOf(elements.slice(0, at)).join(''));
  });
  const sequences = samples.flatMap((_, from) =>
    samples
      .slice(from)
      .map((_, more) => ({ before: begun(from), part: samples.slice(from, from + more + 1).join('') })),
  );
  return [...inside, ...sequences.filter(({ before: own }) => own === before), ...sequences];
}

/** A text for each element, characters that follow each other in one. */
function wordsOf(elements: readonly Element[]): readonly string[] {
  const words: string[] = [];
  elements.forEach((element, at) => {
    const [sample = ''] = samplesOf(element);
    if (element.type === 'Character' && elements[at - 1]?.type === 'Character') words.push(`${words.pop()}${sample}`);
    else words.push(sample);
  });
  return words;
}

function openingsWithin(element: Element, before: string): readonly Opening[] {
  if (element.type === 'Quantifier') {
    const samples = samplesOf(element.element);
    const parts = [...samples, samples.join('')].map((part) => ({ before, part }));
    return [...parts, ...openingsWithin(element.element, before)];
  }
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return [];
  return element.alternatives.flatMap(({ elements }) => openingsIn(elements, before));
}

/** Texts that an element accepts. */
function samplesOf(element: Element): readonly string[] {
  switch (element.type) {
    case 'Character':
      return [String.fromCodePoint(element.value)];
    case 'CharacterSet':
      return setSamples(element);
    case 'CharacterClass':
      return element.negate ? outside(element.raw) : element.elements.slice(0, SAMPLES_MAX).flatMap(inClass);
    case 'Quantifier': {
      const times = Math.min(Math.max(element.min, 1), TIMES_MAX);
      return samplesOf(element.element).map((text) => text.repeat(times));
    }
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives
        .slice(0, SAMPLES_MAX)
        .map(({ elements }) => elements.map((each) => samplesOf(each)[0] ?? '').join(''));
    default:
      return [''];
  }
}

function setSamples(set: AST.CharacterSet): readonly string[] {
  if (set.kind === 'any') return ['a', ' '];
  if (set.kind === 'property') return ['a'];
  const [inside, other] = { digit: ['0', 'a'], space: [' ', 'a'], word: ['a', ' '] }[set.kind];
  return [(set.negate ? other : inside) ?? 'a'];
}

function inClass(element: AST.CharacterClass['elements'][number]): readonly string[] {
  if (element.type === 'CharacterClassRange') return [String.fromCodePoint(element.min.value)];
  return element.type === 'Character' || element.type === 'CharacterSet' ? samplesOf(element).slice(0, 1) : [];
}

/** Ordinary characters that a negated class accepts. */
function outside(source: string): readonly string[] {
  const accepts = new RegExp(`^${source}$`, 'u');
  return ['a', ' ', '{', '/', '\t', '0'].filter((text) => accepts.test(text)).slice(0, SAMPLES_MAX);
}
