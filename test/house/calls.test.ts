import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { layerOf, PURE_LAYERS } from './layers.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';
import { closingOf, type Token, tokenize } from './tokens.ts';

const IMPURE_HOMES = /^src\/(platform\/|config\/load\.ts$)/;
/** Questions are asked on the terminal; the demo agent is a program of its own. */
const PRINTERS = /^src\/(cli\/output\/|main\.ts$|platform\/terminal\.ts$|agents\/drivers\/demo\/demo-agent\.ts$)/;

/** Phrases of code, and what to use instead. A `*` stands for any one token. */
const OUTSIDE_WORLD: ReadonlyArray<readonly [string, string]> = [
  ['Date . now', 'take the clock (platform/clock.ts) as a parameter'],
  ['new Date ( )', 'take the clock (platform/clock.ts) as a parameter'],
  ['new Date ;', 'take the clock (platform/clock.ts) as a parameter'],
  ['performance . now', 'take the clock (platform/clock.ts) as a parameter'],
  ['hrtime', 'take the clock (platform/clock.ts) as a parameter'],
  ['setTimeout', 'take the clock (platform/clock.ts) as a parameter; a loop is start() and tick()'],
  ['setInterval', 'take the clock (platform/clock.ts) as a parameter; a loop is start() and tick()'],
  ['setImmediate', 'take the clock (platform/clock.ts) as a parameter; a loop is start() and tick()'],
  ['AbortSignal . timeout', 'use abortAfter (platform/timer.ts)'],
  ['Math . random', 'take ids or randomness (platform/ids.ts) as a parameter'],
  ['randomUUID', 'take ids (platform/ids.ts) as a parameter'],
  ['randomBytes', 'take ids (platform/ids.ts) as a parameter'],
  ['getRandomValues', 'take ids (platform/ids.ts) as a parameter'],
  ['process . env', 'read it in config/load.ts and hand the value in'],
];
const NOT_PURE: ReadonlyArray<readonly [string, string]> = [
  ['Buffer', 'pure code runs in a browser: use Uint8Array and TextEncoder'],
  ['process .', 'pure code knows no process: hand the value in'],
  ['require (', 'pure code imports modules of its own layer only'],
  ['__dirname', 'pure code knows no files: hand the value in'],
];
const NOT_IN_DOMAIN: ReadonlyArray<readonly [string, string]> = [
  ['async', 'domain code does not wait: decide here, do it in the layer that asks'],
  ['await', 'domain code does not wait: decide here, do it in the layer that asks'],
  ['Promise', 'domain code does not wait: decide here, do it in the layer that asks'],
];
const PRINTING: ReadonlyArray<readonly [string, string]> = [
  ['console .', 'return a value; src/cli/output prints it'],
  ['process . stdout . write', 'return a value; src/cli/output prints it'],
  ['process . stderr . write', 'return a value; src/cli/output prints it'],
];

interface Rule {
  readonly tokens: readonly string[];
  readonly phrase: string;
  readonly instead: string;
}

function rulesFor(path: string): Rule[] {
  const layer = layerOf(path) ?? '';
  const lists = [
    ...(IMPURE_HOMES.test(path) ? [] : OUTSIDE_WORLD),
    ...(PURE_LAYERS.includes(layer) ? NOT_PURE : []),
    ...(layer === 'domain' ? NOT_IN_DOMAIN : []),
    ...(PRINTERS.test(path) ? [] : PRINTING),
  ];
  return lists.map(([phrase, instead]) => ({ tokens: phrase.split(' '), phrase, instead }));
}

function startsAt(code: readonly Token[], at: number, tokens: readonly string[]): boolean {
  // A property of the same name (`options.setTimeout`, `{ async: 1 }`) is not the thing itself.
  const previous = code[at - 1]?.text;
  if (
    (previous === '.' || previous === '?.') &&
    !/^(randomUUID|randomBytes|getRandomValues|hrtime)$/.test(tokens[0] ?? '')
  ) {
    return false;
  }
  if (tokens.length === 1 && code[at + 1]?.text === ':' && (previous === '{' || previous === ',')) return false;
  return tokens.every((text, offset) => code[at + offset]?.text === text && code[at + offset]?.kind !== 'text');
}

function callFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) => {
    const rules = rulesFor(file.path);
    return file.code.flatMap((token, at) => {
      const rule = token.kind === 'word' ? rules.find(({ tokens }) => startsAt(file.code, at, tokens)) : undefined;
      if (!rule) return [];
      return [
        {
          file: file.path,
          line: token.line,
          what: `${rule.phrase.replaceAll(' ', '')} is not for here: ${rule.instead}`,
        },
      ];
    });
  });
}

function anyFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) =>
    file.code.flatMap((token, at) => {
      if (token.kind !== 'word' || token.text !== 'any') return [];
      if (['.', '?.'].includes(file.code[at - 1]?.text ?? '') || ['(', ':'].includes(file.code[at + 1]?.text ?? ''))
        return [];
      return [{ file: file.path, line: token.line, what: 'the type any: say what it is, or unknown and ask' }];
    }),
  );
}

function unfinishedFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) =>
    file.comments
      .filter(({ text }) => /\b(TODO|FIXME|XXX)\b/.test(text))
      .map(({ line }) => ({ file: file.path, line, what: 'a note to come back: do it now, or open an issue' })),
  );
}

function onlyFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) =>
    file.code.flatMap((token, at) => {
      const isOnly = token.text === 'only' && file.code[at - 1]?.text === '.' && file.code[at + 1]?.text === '(';
      return isOnly
        ? [{ file: file.path, line: token.line, what: '.only( keeps the other tests from running: remove it' }]
        : [];
    }),
  );
}

/** Looks at the tokens with comments: a comment is what an empty catch must hold. */
function catchFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) => {
    const tokens = tokenize(file.text);
    return tokens.flatMap((token, at) => {
      if (token.kind !== 'word' || token.text !== 'catch' || tokens[at - 1]?.text === '.') return [];
      const open = tokens[at + 1]?.text === '(' ? closingOf(tokens, at + 1) + 1 : at + 1;
      if (tokens[open]?.text !== '{' || closingOf(tokens, open) > open + 1) return [];
      return [
        {
          file: file.path,
          line: token.line,
          what: 'an empty catch: rethrow, turn it into a refusal, or say in a comment why not',
        },
      ];
    });
  });
}

const source = sourceFiles('src').filter((file) => !isTest(file));
const everything = sourceFiles('src', 'test', 'bench', 'dashboard');

/** Pages make calls by name: their paths stand where the compiler compares them with the table of calls. */
const PAGE_CALLS = 'dashboard/node/page-calls.ts';

function pathFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap(({ path, text }) => {
    if (path === PAGE_CALLS || !path.startsWith('dashboard/')) return [];
    return text.split('\n').flatMap((line, at) => {
      const what = `a path of the node: make the call by its name in ${PAGE_CALLS}`;
      return line.includes('/v1/') ? [{ file: path, line: at + 1, what }] : [];
    });
  });
}

test('pages know no path of a call but those that the compiler compares', () => {
  assertNone(pathFindings(everything));
  assertFound(pathFindings([sourceFile('dashboard/a.ts', "\nread('/v1/tasks');")]), 2, /by its name/);
});

test('clock, randomness, environment, timers and printing stay in their folders', () => {
  assertNone(callFindings(source));
});

test('nothing has the type any', () => {
  assertNone(anyFindings(everything));
});

test('no note to come back later stands in the code', () => {
  assertNone(unfinishedFindings(everything));
});

test('no test keeps the others from running', () => {
  assertNone(onlyFindings(everything.filter(isTest)));
});

test('no catch is empty without a sentence', () => {
  assertNone(catchFindings(everything));
});

test('planted: each banned call is found where it is banned', () => {
  const planted = (path: string, text: string) => callFindings([sourceFile(path, text)]);
  for (const text of [
    'Date.now()',
    'new Date()',
    'performance.now()',
    'Math.random()',
    'crypto.randomUUID()',
    'process.env.HOME',
  ]) {
    assertFound(planted('src/ledger/a.ts', `\nconst a = ${text};`), 2, /is not for here/);
    assertNone(planted('src/platform/a.ts', `const a = ${text};`));
  }
  assertFound(
    planted('src/cli/run-command-line.ts', "import { setTimeout } from 'node:timers/promises';"),
    1,
    /setTimeout/,
  );
  assertFound(planted('src/ledger/a.ts', "console.log('x');"), 1, /console/);
  assertFound(planted('src/domain/a.ts', 'export async function f() {}'), 1, /does not wait/);
  assertFound(planted('src/protocols/a.ts', 'Buffer.from(a)'), 1, /browser/);
  assertNone(planted('src/cli/output/a.ts', "console.log('x');"));
  assertNone(planted('src/ledger/a.ts', "new Date(at); // Date.now()\nconst b = 'process.env'; options.setTimeout;"));
});

test('planted: any, notes to come back, .only and empty catches are found', () => {
  const planted = (text: string) => [sourceFile('src/a.test.ts', text)];
  assertFound(anyFindings(planted('\nlet a: any;')), 2, /type any/);
  assertFound(anyFindings(planted('let a = b as any;')), 1, /type any/);
  assertNone(anyFindings(planted("Promise.any([]); const a = { any: 'any' };")));
  assertFound(unfinishedFindings(planted('a();\n// TODO later')), 2, /come back/);
  assertFound(onlyFindings(planted('test.only(() => {});')), 1, /only/);
  assertFound(catchFindings(planted('try { a(); } catch {}')), 1, /empty catch/);
  assertFound(catchFindings(planted('try { a(); }\ncatch (error) {\n}')), 2, /empty catch/);
  assertNone(catchFindings(planted('try { a(); } catch {\n// gone already\n}')));
});
