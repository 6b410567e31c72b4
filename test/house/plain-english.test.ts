import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { isTest, projectPaths, readText, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

const RIDDLE = /^\/\*\*[\s*]*(What|Who|Where|Whose|Of|That of|Those of)\b/;

/** Words and phrases that a native engineer would not write, each with the ones to use. */
const OUT: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix, repair, correct'],
  [
    /\bhands\b(?=[(:;,.=]| [-<=>]|$)|(?<=\b(its|many|no|whose) )hands\b|[a-z]Hands\b|\bHands\b(?= [={]|;)|\bfree hands?\b/,
    'slots',
  ],
  [/\b(can|cannot|could|to) be had\b|\bis had\b/i, 'is available, is missing, cannot bind'],
  [/haveOrdered/, 'ensureOrder'],
  [/[dD]oings\b/, 'stepImplementations'],
  [/\bthat which\b/i, 'a noun'],
  [/\bbe it\b/i, 'whether'],
  [/\bgoes? round again\b|\bround again\b/i, 'is retried, is queued again'],
  [/\bcomes? to be\b/i, 'becomes, is created'],
  [/\bstands? in the way\b/i, 'blocks, conflicts'],
  [/\bas it was left\b/i, 'in its last state'],
  [/\bunheard\b/i, 'rejected, undecodable'],
  [/\bthe decisions of the documents\b/i, 'the rulings'],
  [/\bof no account\b/i, 'is ignored, is not needed'],
  [/\b(holds nobody|held) to anything\b/i, 'enforces nothing'],
  [/\bout of turn\b/i, 'now, at once'],
  [/\b(is|are) otherwise now\b/i, 'changed'],
  [/\bgone on with\b/i, 'is continued'],
  [/\bat hand\b|[a-z]AtHand\b/, 'current, this, or the name of the thing'],
];

/** Phrases that are out in comments, messages and pages. Names of tests keep their words: pages cite them. */
const OUT_IN_PROSE: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(go|goes|going|went) on\b/i, 'continue, resume, run, proceed'],
  [/\b(carry|carries|carried|carrying)( it| them)? out\b/i, 'run, execute'],
];

const OUT_IN_COMMENTS: typeof OUT_IN_PROSE = [[/\bdoors?\b/i, 'server, endpoint']];

function commentFindings(file: SourceFile): Finding[] {
  return proseFindings(file.path, file.comments, OUT_IN_COMMENTS);
}

/** Messages and comments alike: no other code has such words. */
function messageFindings({ path, text }: SourceFile): Finding[] {
  return proseFindings(path, linesOf(text), OUT_IN_PROSE);
}

function linesOf(text: string): readonly { readonly text: string; readonly line: number }[] {
  return text.split('\n').map((content, at) => ({ text: content, line: at + 1 }));
}

/** Pages say in code spans what a program prints and how a test is called. */
function pageFindings(path: string, text: string): Finding[] {
  const own = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replaceAll(/[^\n]/g, '.'));
  return proseFindings(path, linesOf(own), OUT_IN_PROSE);
}

function proseFindings(
  file: string,
  texts: readonly { readonly text: string; readonly line: number }[],
  out: typeof OUT_IN_PROSE,
): Finding[] {
  return texts.flatMap(({ text, line }) =>
    out.flatMap(([pattern, instead]) => {
      const found = pattern.exec(text)?.[0];
      return found ? [{ file, line, what: `"${found}" is out: use ${instead}` }] : [];
    }),
  );
}

function riddleFindings(file: SourceFile): Finding[] {
  return file.comments.flatMap(({ text, line }) => {
    const word = RIDDLE.exec(text)?.[1];
    const what = `a doc comment begins with ${word}: begin with the noun it describes, or with a verb`;
    return word ? [{ file: file.path, line, what }] : [];
  });
}

function wordFindings([path, text]: readonly [path: string, text: string]): Finding[] {
  return text.split('\n').flatMap((content, at) =>
    OUT.flatMap(([pattern, instead]) => {
      const found = pattern.exec(content)?.[0];
      return found ? [{ file: path, line: at + 1, what: `"${found}" is out: use ${instead}` }] : [];
    }),
  );
}

const read = projectPaths().filter(
  (path) =>
    /\.(ts|mjs|sh|md)$/.test(path) &&
    !path.startsWith('test/corpus/') &&
    !['test/house/plain-english.test.ts', 'CHANGELOG.md'].includes(path),
);

test('no doc comment begins with What, Who, Where, Whose, Of, That of or Those of', () => {
  const files = sourceFiles('src', 'test', 'bench', 'dashboard');
  assertNone(files.flatMap(riddleFindings));
});

test('comments and messages of the source use the words of the trade', () => {
  const files = sourceFiles('src', 'dashboard').filter((file) => !isTest(file));
  assertNone(files.flatMap((file) => [...commentFindings(file), ...messageFindings(file)]));
  const planted = (text: string) => sourceFile('src/a.ts', text);
  assertFound(commentFindings(planted('/** One door of the node. */')), 1, /is out/);
  assertFound(messageFindings(planted('/** An agent that goes on with it. */')), 1, /is out/);
  assertFound(messageFindings(planted(`const hint = \`baton run \${id} goes on with it\`;`)), 1, /is out/);
  assertFound(messageFindings(planted("refuse('x', 'it is being carried out');")), 1, /is out/);
});

test('pages use the words of the trade, but for what they quote', () => {
  const pages = read.filter((path) => path.endsWith('.md') && !path.startsWith('test/'));
  assertNone(pages.flatMap((path) => pageFindings(path, readText(path) ?? '')));
  assertFound(pageFindings('docs/a.md', 'one\nThe run goes on.'), 2, /is out/);
  assertNone(pageFindings('docs/a.md', 'held by `a.test.ts` › `the run goes on`\n```\nit goes on\n```\n'));
});

test('code and pages use the words of the trade', () => {
  const pages = read.map((path) => [path, readText(path) ?? ''] as const);
  assertNone(pages.flatMap(wordFindings));
});

test('planted: riddles and words that are out are found', () => {
  const riddle = (text: string) => riddleFindings(sourceFile('src/domain/a.ts', text));
  assertFound(riddle('\n/** What a task is. */'), 2, /begins with What/);
  assertFound(riddle('/**\n * Whose turn it is.\n */'), 1, /begins with Whose/);
  assertNone(riddle('/** Whether a task is open. */\n// What follows is free.'));
  for (const text of [
    'it is mended',
    'const freeHands = 1;',
    'port 1 cannot be had',
    'orderDoings',
    'an unheard word',
    'how it ends is of no account',
    'interface RunAtHand {',
  ]) {
    assertFound(wordFindings(['src/a.ts', text]), 1, /is out/);
  }
  assertNone(wordFindings(['src/a.ts', 'hands a task to an agent; amends; by hand']));
});
