import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

/** A part with more of them does more than one thing, or takes more than it uses. */
const MEMBERS_MAX = 12;
/** Larger ones from before the rule. This list only gets shorter. */
const STILL_LARGER = ['FederationParts', 'DataPlaneParts', 'HttpServerParts', 'OverviewParts', 'ServerOptions'];
const INTERFACE = /^(?:export )?interface (\w+)(?:<[^{]*?>)?(?: extends ([^{]*?))? \{(\n[\s\S]*?\n)?\}$/gm;

interface Declared {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly above: readonly string[];
  readonly members: readonly string[];
}

/** The formatter gives each member of an interface a line of its own, indented by two. */
function declaredIn({ path, text }: SourceFile): readonly Declared[] {
  return [...text.matchAll(INTERFACE)].map(({ 1: name = '', 2: above = '', 3: body = '', index }) => {
    const picked = [...above.matchAll(/Pick<[^>]*>/g)].flatMap(([pick]) =>
      [...pick.matchAll(/'(\w+)'/g)].map(([, member = '']) => member),
    );
    const own = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map(([, member = '']) => member);
    const inherited = above.replaceAll(/Pick<[^>]*>/g, '').match(/\b[A-Z]\w*/g) ?? [];
    return {
      file: path,
      line: text.slice(0, index).split('\n').length,
      name,
      above: inherited,
      members: [...own, ...picked],
    };
  });
}

function partFindings(files: readonly SourceFile[], larger: readonly string[]): Finding[] {
  const all = files.flatMap(declaredIn);
  const membersOf = ({ members, above }: Declared): readonly string[] => [
    ...members,
    ...above.flatMap((name) => all.filter((each) => each.name === name).flatMap(membersOf)),
  ];
  return all
    .filter(({ name }) => /(?:Parts|World|Options)$/.test(name) && !larger.includes(name))
    .flatMap((each) => {
      const { size } = new Set(membersOf(each));
      const what = `${each.name} has ${size} members (at most ${MEMBERS_MAX}): group those that belong together`;
      return size > MEMBERS_MAX ? [{ file: each.file, line: each.line, what }] : [];
    });
}

/** A part is connected by a call; who assigns a member of it changes it behind its back. */
function assignmentFindings(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) =>
      /^\s*(?!this\b)\w+(?:\.\w+)+ (?:=|\?\?=|\|\|=) /.test(line)
        ? [
            {
              file: path,
              line: at + 1,
              what: 'assigns a member of another part: hand it to the constructor, or connect it',
            },
          ]
        : [],
    ),
  );
}

test(`a part takes at most ${MEMBERS_MAX} members, inherited ones included`, () => {
  const files = sourceFiles('src').filter((file) => !isTest(file));
  assertNone(partFindings(files, STILL_LARGER));
});

test('the composition root assigns no member of a part', () => {
  const files = sourceFiles('src').filter((file) => !isTest(file));
  assertNone(assignmentFindings(files.filter(({ path }) => path === 'src/node.ts' || path.startsWith('src/node/'))));
});

test('large parts and assigned members are found', () => {
  const members = Array.from({ length: 8 }, (_, at) => `  readonly m${at}: string;\n`).join('');
  const more = members.replaceAll('m', 'n');
  const text = `interface FewWorld {\n${members}}\n\ninterface MoreParts extends FewWorld {\n${more}}\n`;
  assertFound(partFindings([sourceFile('src/a.ts', text)], []), 12, /MoreParts has 16 members/);
  assertFound(
    assignmentFindings([sourceFile('src/node/a.ts', '  world.places.isCarried = () => true;\n')]),
    1,
    /assigns a member/,
  );
});
