import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts';
import { packStates } from '../../../src/remote/parcel/pack-states.ts';
import { packWork } from '../../../src/remote/parcel/pack-work.ts';
import { type Parcel, parcelDigest } from '../../../src/remote/parcel/parcel.ts';
import { makeResultWorktree } from '../../../src/remote/parcel/result-worktree.ts';
import { nameStates, takeStates } from '../../../src/remote/parcel/take-states.ts';
import { unpackWork } from '../../../src/remote/parcel/unpack-work.ts';
import { findRepository } from '../../../src/workspace/find-repository.ts';
import { keepCommits } from '../../../src/workspace/keep-commits.ts';
import { applyRun } from '../../../src/workspace/merge/apply-run.ts';
import type { ShadowPlace } from '../../../src/workspace/shadow/private-repository.ts';
import { shadowRef, takeShadow } from '../../../src/workspace/shadow/take-shadow.ts';
import { undoRun } from '../../../src/workspace/undo/undo-run.ts';
import { SEED } from '../seed.ts';
import { taken } from '../taken.ts';
import { TestRepository, testFolder } from '../test-repository.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { contentOf, type Deed, deeds, perform } from './random-files.ts';

const MIB = 1_024 * 1_024;
const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;
const FILES = { hasFolders: false };

interface Case {
  readonly committed: readonly Deed[];
  readonly dirty: readonly Deed[];
  readonly work: readonly Deed[];
  readonly isCommitting: boolean;
}

/** Everything of the user's that must not change. */
function mineOf({ root }: TestRepository) {
  const git = (...args: string[]) =>
    execFileSync('git', ['--no-optional-locks', ...args], { cwd: root }).toString('latin1');
  const index = readFileSync(join(root, '.git/index')).toString('hex');
  return {
    files: contentOf(root, { hasFolders: true }),
    index,
    refs: git('for-each-ref'),
    head: git('rev-parse', 'HEAD'),
    stash: git('stash', 'list'),
  };
}

function repositoryOf({ committed, dirty }: Case): TestRepository {
  const repository = new TestRepository();
  repository.write('.gitignore', '*.ign\n');
  for (const deed of committed) perform(repository.root, deed);
  repository.commit('committed');
  for (const deed of dirty) perform(repository.root, deed);
  return repository;
}

/** A link and a folder whose names differ in their letters alone: refused everywhere. */
function isUnsafe(packed: Parcel | Refusal): boolean {
  return isRefusal(packed) && /are a link and a folder/.test(packed.message);
}

/** The work of an agent in unpacked work, packed for its way back. */
async function workThere(sent: Parcel, blobs: MemoryBlobs, { work, isCommitting }: Case) {
  const dataFolder = testFolder();
  const bounds = { bytesMax: 64 * MIB, atMs, blobs };
  const { workspace } = taken(await unpackWork({ dataFolder, parcel: sent, from: 'a', name: 'e', ...bounds }));
  const unpacked = contentOf(workspace, { hasFolders: true });
  const repository = findRepository(workspace);
  assert.ok(repository);
  const place = { repository, root: repository.root, dataFolder, keptFolder: join(dataFolder, 'shadows') };
  const before = await takeShadow(place, { task, label: '1/before', atMs });
  for (const deed of work) perform(workspace, deed);
  if (isCommitting) {
    for (const args of [
      ['add', '-A'],
      ['commit', '-q', '--allow-empty', '-m', 'theirs'],
    ])
      spawnSync('git', args, { cwd: workspace });
    for (const deed of work.slice(0, 3).reverse()) perform(workspace, deed);
  }
  const after = await takeShadow(place, { task, label: '1/after-1', atMs, basis: before.commit });
  const kept = await keepCommits(place, { base: before.head, repository, ref: shadowRef(task, '1/commits') });
  // Git refuses a folder named .gitattributes in a commit that it checks.
  assert.ok(kept === null || (isCommitting && kept.count === 1));
  const about = { kind: 'git', about: parcelDigest(sent), repository: sent.repository } as const;
  const states = { before: before.commit, after: after.commit, states: [before.commit, after.commit] };
  const commits = { head: sent.baseCommit, tip: kept?.tip ?? null, ...states };
  const packed = await packStates({ place, task, round: 1, ...commits, files: [], about, ...bounds });
  return isUnsafe(packed) ? null : { unpacked, workspace, before, after, result: taken(packed) };
}

async function takeHome(place: ShadowPlace, result: Parcel, blobs: MemoryBlobs, commits: readonly [string, string]) {
  return taken(
    await takeStates(
      { place, parcel: result, bytesMax: 64 * MIB, blobs },
      {
        judge: async (staged) => {
          const walked = await staged.walk(commits);
          assert.ok(typeof walked !== 'string', String(walked));
          return commits.map((commit) => walked.treeOf(commit));
        },
        keep: (own, [before = '', after = '']) => {
          const labels = [
            ['1/before', commits[0], before],
            ['1/after-1', commits[1], after],
          ] as const;
          nameStates(
            own,
            task,
            labels.map(([label, commit, tree]) => ({ label, commit, tree })),
          );
        },
      },
    ),
  );
}

async function roundTrip(one: Case): Promise<void> {
  const repository = repositoryOf(one);
  const { root, dataFolder } = repository;
  const mine = mineOf(repository);
  const blobs = new MemoryBlobs();
  const names = { task, uid: 'tsk_1', round: 1, inputs: [], include: [], haves: [] };
  const packed = await packWork({ dataFolder, workspaceRoot: root, ...names, bytesMax: 64 * MIB, atMs, blobs });
  if (isUnsafe(packed)) return;
  const sent = taken(packed);
  assert.deepEqual(mineOf(repository), mine, 'packing touches nothing');
  const there = await workThere(sent, blobs, one);
  if (there === null) return;
  assert.deepEqual(there.unpacked, mine.files, 'the work begins with the same files');
  const home = { ...repository.place, keptFolder: join(dataFolder, 'shadows') };
  const trees = await takeHome(home, there.result, blobs, [there.before.commit, there.after.commit]);
  assert.deepEqual(trees, [there.before.tree, there.after.tree]);
  assert.equal((await takeShadow(home, { task, label: '1/look', atMs })).tree, there.before.tree);
  const folder = join(dataFolder, 'worktree');
  const worktree = await makeResultWorktree({
    place: home,
    folder,
    head: sent.baseCommit,
    before: there.before.commit,
  });
  assert.deepEqual(contentOf(folder, FILES), contentOf(root, FILES));
  await worktree.changeTo(there.after.commit);
  worktree.end();
  assert.deepEqual(contentOf(folder, FILES), contentOf(there.workspace, FILES), 'the worktree is as the work left it');
  assert.deepEqual(mineOf(repository), mine, 'an import touches nothing');
  const about = { task, atMs };
  const span = { before: there.before.commit, after: there.after.commit };
  const applied = await applyRun(home, { ...about, ...span, label: '1/apply-before' });
  if ('code' in applied) return assert.match(applied.code, /merge_conflict/);
  assert.deepEqual(contentOf(root, FILES), contentOf(there.workspace, FILES), 'applied byte for byte');
  const left = await takeShadow(home, { ...about, label: '1/apply-after' });
  taken(await undoRun(home, { ...about, before: span.before, after: left.commit, label: '1/undo', isKept: false }));
  assert.deepEqual(
    contentOf(root, FILES),
    Object.fromEntries(Object.entries(mine.files).filter(([path]) => !path.endsWith('/'))),
  );
}

/** Random work travels there and back, byte for byte, and nothing of the user is touched. */
export async function assertRoundTrips(numRuns: number): Promise<void> {
  const cases = fc.record({ committed: deeds, dirty: deeds, work: deeds, isCommitting: fc.boolean() });
  await fc.assert(fc.asyncProperty(cases, roundTrip), { numRuns, seed: SEED, endOnFailure: true });
}
