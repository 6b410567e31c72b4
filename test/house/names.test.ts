import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { projectPaths, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

const WATCHED = /^(src|test|bench|scripts|dashboard|bin)\//;
/** Whatever these hold, their names say nothing about it. */
const EMPTY_WORDS = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager', 'handler', 'handlers'];
const EMPTY_NAMES = ['base', 'types', 'index'];
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Messages of the corpus, fixtures and pages keep the names their documents or tools give them. */
const FREE = /^test\/(corpus|fixtures)\/.*\.(?!test\.ts$)(?!ts$)|\/README\.md$|^dashboard\/(index\.html|public\/)/;

function nameFindings(paths: readonly string[]): Finding[] {
  return paths
    .filter((path) => WATCHED.test(path) && !FREE.test(path))
    .flatMap((path) => {
      const wrong = path.split('/').flatMap((part) => {
        const name = part.split('.')[0] ?? '';
        if (!KEBAB.test(name)) return [`${part} is not kebab-case`];
        const empty = EMPTY_NAMES.includes(name) || name.split('-').some((word) => EMPTY_WORDS.includes(word));
        return empty ? [`${part} says nothing: name it for what it exports`] : [];
      });
      return wrong.map((what) => ({ file: path, line: 1, what }));
    });
}

/** A participle is an adjective without its noun: `Asked` may be a request, a question or a subject. */
const PARTICIPLE =
  /^\s*(?:export )?(?:interface|type|class) ([A-Z][a-z]+ed|Told|Found|Seen|Shown|Heard|Said|Kept|Made|Sent|Read|Begun|Given|Taken|Held|Known)\b/;
/** Verdicts of a codec, which the glossary defines. */
const VERDICTS: readonly string[] = ['Accepted', 'Malformed'];

function participleFindings({ path, text }: SourceFile): Finding[] {
  return text.split('\n').flatMap((line, at) => {
    const name = PARTICIPLE.exec(line)?.[1];
    if (name === undefined || VERDICTS.includes(name)) return [];
    return [{ file: path, line: at + 1, what: `the type ${name} is a participle: add its noun` }];
  });
}

test('the name of a type has a noun', () => {
  assertNone(sourceFiles('src', 'bench').flatMap(participleFindings));
});

test('planted: a type that is a bare participle is found', () => {
  const found = (text: string) => participleFindings(sourceFile('src/domain/a.ts', text));
  assertFound(found('\nexport interface Asked {'), 2, /Asked is a participle/);
  assertFound(found('type Seen = string;'), 1, /Seen is a participle/);
  assertNone(found('interface AskedQuestion {\ninterface Accepted<Message> {'));
});

test('files and folders are named in kebab-case for what they hold', () => {
  assertNone(nameFindings(projectPaths()));
});

test('planted: names that are not kebab-case or say nothing are found', () => {
  assertFound(nameFindings(['src/domain/taskState.ts']), 1, /kebab-case/);
  for (const name of ['index', 'types', 'string-utils', 'helper', 'run-manager', 'base']) {
    assertFound(nameFindings([`src/domain/${name}.ts`]), 1, /says nothing/);
  }
  assertFound(nameFindings(['src/common/clock.ts']), 1, /says nothing/);
  assertNone(nameFindings(['src/domain/task/task-lifecycle.test.ts', 'test/corpus/aop/accepted/§4_Example.json']));
});
