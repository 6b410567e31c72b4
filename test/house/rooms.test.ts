import { dirname } from 'node:path';
import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { projectPaths } from './source-file.ts';

const FILES_PER_FOLDER_MAX = 25;
const FOLDERS_PER_SUBJECT_MAX = 6;

const SOURCE = /^(src|dashboard|bench|test\/(support|e2e|fixtures\/agents))\/.*\.(ts|tsx|mjs)$/;
const TEST = /\.test\.tsx?$/;

/** A file belongs to the first subject that its path names. */
const SUBJECTS: readonly (readonly [subject: string, path: RegExp])[] = [
  ['a task on another node', /remote|parcel|sent-task|received-task/],
  ['an external agent', /external|invite|enrol|proof/],
  ['feedback', /feedback|exchange/],
  ['a capability', /capabilit|skill/],
  ['a session', /session/],
  ['an order', /order/],
];

/** A codec has the words of its document, and a migration and a table those of the ledger: they lie by layer. */
const BY_LAYER = /^src\/(protocols|ledger)\//;

/** Files that are named for a subject and lie in the room that does something with it. */
const APART: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^src\/agents\/drivers\//, 'a driver reads the session or the feedback that its vendor prints'],
  [/^src\/dispatch\//, 'dispatch runs orders'],
  [/^src\/(api|calls|cli)\/task\//, 'the views of a task say on which node it is done'],
  [/^src\/node\//, 'the composition root names every part'],
  [/^src\/operations\/order\/session-facts\.ts$/, 'an order joins its session in its own transaction'],
  [/^src\/domain\/execution\/vendor-session\.ts$/, "the conversation of a vendor's program, not a session of tasks"],
];

function isSource(path: string): boolean {
  return SOURCE.test(path) && !TEST.test(path);
}

function crowdedFolders(paths: readonly string[]): Finding[] {
  const counts = new Map<string, number>();
  for (const path of paths.filter(isSource)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > FILES_PER_FOLDER_MAX)
    .map(([folder, count]) => ({
      file: folder,
      line: 1,
      what: `${count} files (at most ${FILES_PER_FOLDER_MAX}): give a subject of it a room`,
    }));
}

function subjectOf(path: string): string | undefined {
  return SUBJECTS.find(([, pattern]) => pattern.test(path))?.[0];
}

function scatteredSubjects(paths: readonly string[]): Finding[] {
  const own = paths.filter((path) => path.startsWith('src/') && isSource(path) && !BY_LAYER.test(path));
  const files = own.filter((path) => !APART.some(([pattern]) => pattern.test(path)));
  return SUBJECTS.flatMap(([subject]) => {
    const folders = [...new Set(files.filter((path) => subjectOf(path) === subject).map((path) => dirname(path)))];
    if (folders.length <= FOLDERS_PER_SUBJECT_MAX) return [];
    const what = `${subject} lies in ${folders.length} folders (at most ${FOLDERS_PER_SUBJECT_MAX}): ${folders.join(', ')}`;
    return [{ file: folders[0] ?? 'src', line: 1, what }];
  });
}

test('a folder has at most 25 source files', () => {
  assertNone(crowdedFolders(projectPaths()));
});

test('a subject lies in at most 6 folders', () => {
  assertNone(scatteredSubjects(projectPaths()));
});

test('every file that lies apart from its subject is still there', () => {
  const paths = projectPaths();
  const gone = APART.filter(([pattern]) => !paths.some((path) => pattern.test(path)));
  assertNone(
    gone.map(([pattern]) => ({ file: 'test/house/rooms.test.ts', line: 1, what: `${pattern} names no file` })),
  );
});

test('planted: a crowded folder and a scattered subject are found', () => {
  const many = Array.from({ length: FILES_PER_FOLDER_MAX + 1 }, (_, at) => `src/a/b-${at}.ts`);
  assertFound(crowdedFolders(many), 1, /26 files/);
  assertNone(crowdedFolders([...many.slice(1), 'src/a/b.test.ts']));
  const scattered = Array.from({ length: FOLDERS_PER_SUBJECT_MAX + 1 }, (_, at) => `src/${'abcdefg'[at]}/session.ts`);
  assertFound(scatteredSubjects(scattered), 1, /a session lies in 7 folders/);
});
