import { isRefusal, type Refusal, refuse } from '../refusal.ts';

export interface CommandRights {
  /** The operator allows shell syntax. */
  readonly isShellAllowed: boolean;
}

/** A word of a command: its value, and its source text with each quoted part replaced by one mark. */
interface Word {
  readonly value: string;
  readonly bare: string;
}

/** Replaces a quoted part, in which no shell syntax applies. No command can contain it. */
const QUOTED = '\0';

/**
 * Splits a command into program and arguments by POSIX quoting. No shell reads it, so shell syntax is refused by name,
 * or, if the operator allows it, the whole command is run by a shell.
 */
export function splitCommand(text: string, { isShellAllowed }: CommandRights): readonly string[] | Refusal {
  if (text.includes('\0')) return deny('the command has a NUL character', 'take it out');
  if (text.trim() === '') return deny('the command is empty', 'name a program, such as npm test');
  const words = readWords(withoutOuterBlanks(text));
  const found = isRefusal(words) ? words : findSyntax(words);
  if (found === null) return (words as readonly Word[]).map(({ value }) => value);
  return isShellAllowed ? ['/bin/sh', '-c', text] : found;
}

const OUTER_BLANKS = ' \t\r\n';

/** A blank after a backslash is part of the last word. */
function withoutOuterBlanks(text: string): string {
  let end = text.length;
  while (OUTER_BLANKS.includes(text[end - 1] ?? '.')) end--;
  if (text[end - 1] === '\\' && ' \t'.includes(text[end] ?? '.')) end++;
  return text.slice(text.search(/[^ \t\r\n]/), end);
}

const BLANK = /[ \t]+/y;
const PIECES: readonly RegExp[] = [
  /(?<plain>[^ \t'"\\\r\n]+|[\r\n])/y,
  /'(?<single>[^']*)'/y,
  /"(?<double>(?:[^"\\]|\\[\s\S])*)"/y,
  /\\(?<escaped>[\s\S])/y,
];

function readWords(text: string): readonly Word[] | Refusal {
  const words: Word[] = [];
  let word = null as Word | null;
  let at = 0;
  while (at < text.length) {
    const blank = matchAt(BLANK, text, at);
    if (blank) {
      if (word) words.push(word);
      word = null;
      at += blank[0].length;
      continue;
    }
    const piece = firstMatch(text, at);
    if (!piece) return openEnded(text[at] ?? '');
    const read = readPiece(piece);
    if (isRefusal(read)) return read;
    word = { value: (word?.value ?? '') + read.value, bare: (word?.bare ?? '') + read.bare };
    at += piece[0].length;
  }
  return word ? [...words, word] : words;
}

function firstMatch(text: string, at: number): RegExpExecArray | null {
  for (const pattern of PIECES) {
    const match = matchAt(pattern, text, at);
    if (match) return match;
  }
  return null;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function readPiece({ groups = {} }: RegExpExecArray): Word | Refusal {
  const { plain, single, double, escaped } = groups;
  if (plain !== undefined) return { value: plain, bare: plain };
  if (double !== undefined) return readDoubleQuoted(double);
  // A backslash before a line break joins the two lines.
  if (escaped === '\n') return { value: '', bare: '' };
  return { value: single ?? escaped ?? '', bare: QUOTED };
}

/** Expansions that a shell performs inside double quotes too. A trailing $ is literal. */
const EXPANSION = /\$(?=[\w{(@*#?!$-])/;

function readDoubleQuoted(text: string): Word | Refusal {
  const unescaped = text.replace(/\\[\s\S]/g, '');
  if (unescaped.includes('`')) return denyWord('a command in backquotes', `"${text}"`, SINGLE_QUOTES);
  if (EXPANSION.test(unescaped)) return denyWord('a $ expansion', `"${text}"`, SINGLE_QUOTES);
  return { value: text.replace(/\\(?:\n|([$`"\\]))/g, '$1'), bare: QUOTED };
}

const ALLOW = 'baton config set allow_shell true';
const QUOTE_IT = `put it in single quotes if it is meant as it stands, or let a shell read it: ${ALLOW}`;
const SINGLE_QUOTES = `use single quotes if it is meant as it stands, or let a shell read it: ${ALLOW}`;
const NO_PROGRAM = `name a program instead, or let a shell read it: ${ALLOW}`;

interface Syntax {
  readonly name: string;
  readonly pattern: RegExp;
  readonly hint: string;
}

/** Syntax in any word. Every pattern runs in linear time, since commands come from untrusted senders. */
const ANYWHERE: readonly Syntax[] = [
  { name: 'a line break', pattern: /[\r\n]/, hint: `give one command each, or let a shell read it: ${ALLOW}` },
  { name: 'a list of commands', pattern: /\|\||&&|;/, hint: `give each as a check of its own, or: ${ALLOW}` },
  { name: 'a pipe', pattern: /\|/, hint: QUOTE_IT },
  { name: 'a command in the background', pattern: /&/, hint: QUOTE_IT },
  { name: 'a redirection', pattern: /[<>]/, hint: QUOTE_IT },
  { name: 'a $ expansion', pattern: new RegExp(`${EXPANSION.source}|\\$(?=${QUOTED})`), hint: QUOTE_IT },
  { name: 'a command in backquotes', pattern: /`/, hint: QUOTE_IT },
  { name: 'parentheses', pattern: /[()]/, hint: QUOTE_IT },
  // A single [ is a program, and neither a[ nor ]a is shell syntax.
  { name: 'a file name pattern', pattern: /[*?]|^[^[]*\[.+\]/s, hint: QUOTE_IT },
  { name: 'a list in braces', pattern: /\{(?:[^{},.]|\.(?!\.))*(?:,|\.\.)[^{}]*\}/, hint: QUOTE_IT },
  { name: 'a home folder', pattern: /^~|^[A-Za-z_]\w*=~/, hint: 'write the absolute path, or put it in single quotes' },
  { name: 'a comment', pattern: /^#/, hint: QUOTE_IT },
];

const RESERVED = /^(?:!|[{}]|\[\[|if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select)$/;
const BUILT_IN =
  /^(?:[.:]|alias|break|cd|command|continue|eval|exec|exit|export|hash|read|readonly|return|set|shift|source|times|trap|type|ulimit|umask|unset|wait)$/;

/** Syntax in the word that names the program. */
const FIRST: readonly Syntax[] = [
  { name: 'a variable before the command', pattern: /^[A-Za-z_]\w*\+?=/, hint: 'put env before it: env NAME=value …' },
  { name: 'a word of the shell', pattern: RESERVED, hint: NO_PROGRAM },
  { name: 'a command of the shell itself', pattern: BUILT_IN, hint: NO_PROGRAM },
];

function findSyntax(words: readonly Word[]): Refusal | null {
  for (const [at, { bare, value }] of words.entries()) {
    const found = [...ANYWHERE, ...(at === 0 ? FIRST : [])].find(({ pattern }) => pattern.test(bare));
    if (found) return denyWord(found.name, value, found.hint);
  }
  return words[0]?.value === '' ? deny('the command names no program', 'begin with a program, such as npm test') : null;
}

function openEnded(opening: string): Refusal {
  if (opening === '\\') return deny('the command ends in a backslash', 'take it out, or write what follows it');
  const name = opening === "'" ? 'a single quote' : 'a double quote';
  return deny(`the command has ${name} that is not closed`, `close it, or put \\ before the ${opening}`);
}

function denyWord(name: string, word: string, hint: string): Refusal {
  const shown = word.length > SHOWN_CHARACTERS_MAX ? `${word.slice(0, SHOWN_CHARACTERS_MAX)}…` : word;
  return deny(`the command has shell syntax, ${name}: ${shown.trim() === '' ? JSON.stringify(shown) : shown}`, hint);
}

const SHOWN_CHARACTERS_MAX = 80;

function deny(message: string, hint: string): Refusal {
  return { ...refuse('permission-denied', message), hint };
}
