import { assertNever } from '../domain/assert-never.ts';
import { nearWord } from '../domain/words/near-word.ts';
import { shortenWithin } from '../domain/words/shorten.ts';
import { FORMAT_EXAMPLES, type Issue, type Path } from './issue.ts';

const SHOWN_VALUE_CHARACTERS = 60;
const SHOWN_KEY_CHARACTERS = 80;
const SHOWN_PATH_CHARACTERS = 160;
const SENTENCE_CHARACTERS_MAX = 400;
const NOT_PRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Writes every sentence about a message: one line, safe for a terminal whatever the message contains. */
export function explainIssue(issue: Issue): string {
  const where = dotted(issue.path);
  const whole = where === '' ? `the message ${sentence(issue)}` : `${where}: ${sentence(issue)}`;
  return shortenWithin(whole.replace(NOT_PRINTABLE, '\ufffd'), SENTENCE_CHARACTERS_MAX);
}

function sentence(issue: Issue): string {
  switch (issue.kind) {
    case 'missing':
      return 'is required';
    case 'wrong-type':
      return `must be ${issue.expected}, not ${show(issue.got)}`;
    case 'not-one-of':
      return `${show(issue.got)} is not one of ${issue.options.join(', ')}`;
    case 'not-exactly':
      return `must be ${show(issue.want)}, not ${show(issue.got)}`;
    case 'empty':
      return 'must not be empty';
    case 'too-long':
      return `has ${issue.got ?? 'too many'} ${issue.unit}; at most ${issue.max} are allowed`;
    case 'too-few':
      return `needs at least ${issue.min} ${issue.unit}`;
    case 'below':
      return `${show(issue.got)} must be ${issue.exclusive ? 'greater than' : 'at least'} ${issue.min}`;
    case 'above':
      return `${show(issue.got)} must be ${issue.exclusive ? 'less than' : 'at most'} ${issue.max}`;
    case 'bad-format':
      return `${show(issue.got)} is not ${FORMAT_EXAMPLES[issue.format]}`;
    default:
      return fieldSentence(issue);
  }
}

function fieldSentence(issue: Exclude<Issue, { kind: ShapeKind }>): string {
  switch (issue.kind) {
    case 'unknown-field':
      return `is not a known field${didYouMean(issue.path, issue.known)}`;
    case 'dropped-field':
      return 'is not known in this version and was dropped';
    case 'forbidden-key':
      return 'is a key that no message may use';
    case 'bad-key':
      return `this key ${issue.rule}`;
    case 'not-allowed':
      return `must not be here: ${issue.because}`;
    case 'needs-one-of':
      return `needs at least one of ${issue.fields.join(', ')}`;
    case 'needed-because':
      return `is required: ${issue.because}`;
    case 'advised':
      return `should be here: ${issue.because}`;
    case 'differs':
      return `${show(issue.got)} differs from ${issue.from}, which is ${show(issue.want)}`;
    case 'repeated':
      return `${show(issue.got)} is used more than once`;
    case 'over-limit':
      return `${issue.what} is over the limit of ${issue.max} ${issue.unit}${issue.got === undefined ? '' : `: ${issue.got}`}`;
    case 'near-limit':
      return `${issue.what} has ${issue.got} ${issue.unit}; more than ${issue.max} is not advised`;
    case 'contradicts':
      return `contradicts ${issue.what}`;
    case 'unreadable':
      return `is not readable as ${issue.what}: ${issue.detail}`;
    case 'note':
      return issue.text;
    default:
      return assertNever(issue);
  }
}

type ShapeKind =
  | 'missing'
  | 'wrong-type'
  | 'not-one-of'
  | 'not-exactly'
  | 'empty'
  | 'too-long'
  | 'too-few'
  | 'below'
  | 'above'
  | 'bad-format';

function dotted(path: Path): string {
  let out = '';
  for (const part of path) {
    if (typeof part === 'number') out += `[${part}]`;
    else
      out += `${out === '' ? '' : '.'}${/^[\w-]{1,80}$/.test(part) ? part : JSON.stringify(shortenWithin(part, SHOWN_KEY_CHARACTERS))}`;
  }
  return out.length <= SHOWN_PATH_CHARACTERS ? out : `…${out.slice(-SHOWN_PATH_CHARACTERS)}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return shortenWithin(text, SHOWN_VALUE_CHARACTERS);
}

function didYouMean(path: Path, known: readonly string[]): string {
  const near = nearWord(String(path.at(-1) ?? ''), known);
  return near === null ? '' : `; did you mean ${near}?`;
}
