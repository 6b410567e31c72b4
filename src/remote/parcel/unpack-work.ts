import { mkdirSync, realpathSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { holdFolderOf } from '../../platform/files/held-folder.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { oneAtATime } from '../../workspace/one-at-a-time.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { commitsOf, type JudgedWork, judgeWork } from './judge-work.ts';
import { endLaying, layOutFiles, layOutRest, makeUnpackedGitFolder } from './lay-out.ts';
import { type Blobs, type Parcel, parcelDigest, readParcel } from './parcel.ts';
import { inParcelStaging, knownCommits, noteKnown, openParcelStore, type ParcelStore } from './parcel-store.ts';
import { dropIncoming, indexPack, receivePack } from './receive-pack.ts';
import { isFolderName, type UnpackedFolder, unpackedBefore, unpackedFolder } from './unpacked-folder.ts';

export interface WorkToUnpack {
  readonly dataFolder: string;
  /** As it came. */
  readonly parcel: unknown;
  /** The node that sent it. */
  readonly from: string;
  readonly name: string;
  readonly bytesMax: number;
  readonly atMs: number;
  readonly blobs: Blobs;
}

/**
 * Unpacks the work of another node into a folder of its own, as a repository at the commit of its sender, with all other files
 * as they were there. A parcel that is not as Baton makes them is refused whole; nothing of it is ever executed.
 */
export async function unpackWork(request: WorkToUnpack): Promise<UnpackedFolder | Refusal> {
  const parcel = readParcel(request.parcel, 'work');
  if (isRefusal(parcel)) return parcel;
  if (!isFolderName(request.name)) {
    return refuse('invalid_argument', `${JSON.stringify(request.name)} is no name for a folder`);
  }
  const store = openParcelStore(request.dataFolder, request.from, parcel);
  return await oneAtATime(`travel store ${store.folder}`, () => unpackInTurn(request, parcel, store));
}

async function unpackInTurn(
  request: WorkToUnpack,
  parcel: Parcel,
  store: ParcelStore,
): Promise<UnpackedFolder | Refusal> {
  const root = join(unpackedFolder(request.dataFolder), request.name);
  const there = unpackedBefore(root, parcel);
  if (there) return there;
  const taken = await takeObjects(request, parcel, store);
  if (isRefusal(taken)) {
    dropIncoming({ ...request, parcel }, taken);
    return taken;
  }
  const { meta, more } = taken;
  noteKnown(store, commitsOf(parcel), request.atMs);
  const draft = `${root}.new`;
  removeWorktree(root);
  makeFoldersIn(request.dataFolder, unpackedFolder(request.dataFolder));
  mkdirSync(draft, { mode: 0o700 });
  await layOutFiles(store.place, { folder: draft, state: parcel.state, more });
  endLaying(draft);
  crashPoint('parcel.files-laid-out');
  layOutRest(draft, meta);
  makeFolder(draft, meta.folder);
  await makeUnpackedGitFolder(store.place, {
    folder: draft,
    // Without git there, a commit of the inputs is what the work starts from here.
    head: parcel.kind === 'files' ? parcel.state : parcel.baseCommit,
    objectFormat: parcel.objectFormat,
    lineEnds: meta.lineEnds,
    identity: meta.identity,
    exclude: `${meta.exclude}\n${more.map(({ name }) => `/${escaped(name)}\n`).join('')}`,
  });
  renameSync(draft, root);
  crashPoint('parcel.unpacked');
  // The paths of orders are compared without links.
  const real = realpathSync(root);
  const unpacked = {
    kind: 'unpacked',
    workspace: meta.folder === '' ? real : join(real, meta.folder),
    parcel: { digest: parcelDigest(parcel), root: real },
    has: commitsOf(parcel),
  } as const;
  replaceFile(`${root}.json`, JSON.stringify({ ...unpacked, of: parcel.kind }));
  dropIncoming({ ...request, parcel }, null);
  return unpacked;
}

/** Takes the objects of a parcel into the store, once every one of them was judged. */
async function takeObjects(request: WorkToUnpack, parcel: Parcel, store: ParcelStore): Promise<JudgedWork | Refusal> {
  const known = new Set(knownCommits(store));
  const lacking = parcel.needs.filter((commit) => !known.has(commit));
  if (lacking.length > 0) {
    const message = `the parcel builds on ${lacking.length} commits that this node does not have`;
    return { ...refuse('parcel_base_missing', message), details: lacking };
  }
  const pack = await receivePack({ ...request, parcel });
  if (isRefusal(pack)) return pack;
  return await inParcelStaging(
    store,
    async (staged) => {
      const unread = await indexPack(staged.place, staged.objects, pack);
      return unread ?? (await judgeWork(staged.place, parcel, request));
    },
    (answer) => !isRefusal(answer),
  );
}

/** The folder of the work need not have files, or git ignores them. */
function makeFolder(root: string, path: string): void {
  if (path === '') return;
  holdFolderOf(root, Buffer.from(`${path}/x`), { isMade: true })?.folder.close();
}

/** A rule of .gitignore for one path. */
function escaped(name: Buffer): string {
  return name.toString('utf8').replaceAll(/[\\*?[\]!# ]/g, '\\$&');
}
