import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

// Baton does not read its own sentences: what a program needs is a field. A test cannot know every sentence, so it looks for
// patterns and comparisons over the fields that hold one.

const SENTENCE = '(?:message|hint|reason|why|detail|sentence)';

const READS: readonly RegExp[] = [
  // failure.message.includes(…), String(reason).startsWith(…)
  new RegExp(
    `\\b${SENTENCE}\\)?\\??\\.(?:includes|startsWith|endsWith|match|matchAll|replace|replaceAll|search|indexOf)\\(`,
  ),
  // /…/.test(failure.message), PATTERN.exec(hint)
  new RegExp(`\\.(?:test|exec)\\((?:[\\w.?]+\\.)?${SENTENCE}\\b`),
  // details.split(':'); a split into lines is for showing them.
  new RegExp(`\\b(?:${SENTENCE}|details)\\)?\\??\\.split\\((?!'\\\\n')`),
];

/** Folders and files that read text of others, with the reason. */
const READERS: readonly (readonly [path: string, reason: string])[] = [
  ['src/agents/drivers/', "the vendors' own text: drivers turn it into fields"],
  ['src/federation/nats/nats-transport.ts', 'a broker of NATS before 2.10 names the conflict in its text alone'],
  ['src/protocols/aop/lift-round.ts', 'facts of the oldest ledgers hold a warning as a sentence alone'],
  ['src/work/place/check-old-tests.ts', 'a line of a check is not repeated where the message quotes it'],
  ['src/operations/task/refuse-task-text.ts', 'the text of a caller is searched for NUL'],
];

function readFindings(file: SourceFile): Finding[] {
  if (isTest(file) || READERS.some(([path]) => file.path.startsWith(path))) return [];
  return file.text.split('\n').flatMap((content, at) => {
    const found = READS.map((pattern) => pattern.exec(content)?.[0]).find((each) => each !== undefined);
    const what = `\`${found}\` reads a sentence: give the reader a field instead`;
    return found === undefined || /^\s*(?:\*|\/\/|\/\*)/.test(content) ? [] : [{ file: file.path, line: at + 1, what }];
  });
}

const files = sourceFiles('src', 'dashboard');

test('no sentence is read by a program', () => {
  assertNone(files.flatMap(readFindings));
});

test('every exception is still needed', () => {
  const unneeded = READERS.filter(([path]) => {
    const own = files.filter((file) => file.path.startsWith(path));
    return !own.some(({ text }) => READS.some((pattern) => pattern.test(text)));
  });
  assertNone(unneeded.map(([path, what]) => ({ file: path, line: 1, what: `reads no sentence any more: ${what}` })));
});

test('planted: each way to read a sentence is found', () => {
  const planted = (line: string) => readFindings(sourceFile('src/a.ts', `\n${line}`));
  for (const line of [
    "if (failure.message.includes('host')) return 1;",
    "const isOpen = String(message).startsWith('not sandboxed');",
    'const seconds = DID_NOT_ANSWER.exec(failure.message)?.[0];',
    "const hint = refusal.hint.replaceAll('TASK', task);",
    "const [code] = details.split(':');",
  ]) {
    assertFound(planted(line), 2, /reads a sentence/);
  }
  assertNone(planted("const [first] = message.split('\\n', 1);"));
  assertNone(planted('const told = words.includes(folder);'));
});
