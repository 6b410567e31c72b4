import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import type { Finding } from './feedback.ts';
import { matchFindings } from './match-findings.ts';

interface Scene {
  readonly name: string;
  /** Thresholds were chosen by `tune` alone. */
  readonly half: 'tune' | 'held';
  readonly isOneReviewer: boolean;
  readonly before: readonly Finding[];
  readonly after: readonly (Finding & { readonly same: string | null })[];
}

const SCENES = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/findings.json', import.meta.url), 'utf8'),
) as readonly Scene[];

/** Counts the later findings of a half that are paired as a person would, with a wrong one, and not at all. */
function judged(half: Scene['half']) {
  const scenes = SCENES.filter((scene) => scene.half === half);
  const answers = scenes.flatMap(({ before, after, isOneReviewer }) => {
    const matches = matchFindings(before, after, { isOneReviewer });
    return after.map(({ same }, at) => {
      const found = matches.find((match) => match.after === at);
      const id = found === undefined ? null : (before[found.before]?.id ?? null);
      return id === same ? 'right' : id === null ? 'missed' : 'wrong';
    });
  });
  const count = (what: string) => answers.filter((answer) => answer === what).length;
  return { all: answers.length, right: count('right'), wrong: count('wrong'), missed: count('missed') };
}

test('findings that were worded anew are found again as often as docs/reviews.md says', () => {
  assert.deepEqual(judged('tune'), { all: 33, right: 31, wrong: 2, missed: 0 });
  assert.deepEqual(judged('held'), { all: 32, right: 29, wrong: 0, missed: 3 });
});

const finding = (id: string, aspect: string, description: string, recommendation = 'Change it.'): Finding => ({
  id,
  aspect,
  description,
  recommendation,
});

test('the same words about another file are another finding, also under the same id', () => {
  const before = [finding('empty-catch', 'src/a.ts:3', 'An empty catch swallows errors of the disk.')];
  const after = [finding('empty-catch', 'src/b.ts:9', 'Nobody reads the second argument.')];
  assert.deepEqual(matchFindings(before, after, { isOneReviewer: true }), []);
});

test('equal findings keep their pairs, in whatever order they come', () => {
  const all = SCENES.flatMap(({ before }, scene) => before.map((each) => ({ ...each, id: `${scene}-${each.id}` })));
  const matches = matchFindings(all, all.toReversed(), { isOneReviewer: false });
  assert.equal(matches.length, all.length);
  const texts = (index: number, list: readonly Finding[]) => list[index]?.description;
  for (const { before, after } of matches) assert.equal(texts(before, all), texts(after, all.toReversed()));
});

test('a reviewer that numbers its findings anew is not believed', () => {
  const scene = SCENES.find(({ name }) => name.startsWith('ids that')) ?? assert.fail();
  const matches = matchFindings(scene.before, scene.after, { isOneReviewer: true });
  assert.deepEqual(matches.map(({ before, after }) => [before, after]).toSorted(), [
    [1, 0],
    [2, 1],
  ]);
});

test('nothing matches nothing', () => {
  assert.deepEqual(matchFindings([], [], { isOneReviewer: true }), []);
  const empty = [finding('a-finding-1', '-', '-', '-')];
  assert.deepEqual(matchFindings(empty, [finding('a-finding-2', '?', '?', '?')], { isOneReviewer: true }), []);
});

test('a thousand findings are matched in time that grows with their number', () => {
  const many = (suffix: string) =>
    Array.from({ length: 1_000 }, (_, at) =>
      finding(`finding-${at}`, `src/part${at}.ts`, `The function number${at} fails for input${at} ${suffix}.`),
    );
  let matches: ReturnType<typeof matchFindings> = [];
  const tookMs = cpuMsOf(() => {
    matches = matchFindings(many('now'), many('still').toReversed(), { isOneReviewer: true });
  });
  assert.equal(matches.length, 1_000);
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
});

test('a finding of megabytes without a blank is compared in time that grows with its length', () => {
  for (const unit of ['x', 'a.', 'a/', 'aA', 'a_', 'a$', '@', '1', 'L1', '`']) {
    const long = [finding('one-long-word', 'Length', unit.repeat(1_000_000 / unit.length))];
    const tookMs = cpuMsOf(() => matchFindings(long, long, { isOneReviewer: true }));
    assert.ok(tookMs < 2_000, `${unit}: ${tookMs} ms`);
  }
});
