import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FileVersion } from '../diff-shadows.ts';
import { git } from '../git.ts';
import type { Basis } from './object-store.ts';
import type { StagingArea } from './staging-area.ts';

/** One file that a new tree has differently: with these bytes, with an object that exists, or not at all. */
export type TreeChange =
  | ({ readonly kind: 'bytes'; readonly name: Buffer; readonly bytes: Buffer } & FileVersion)
  | ({ readonly kind: 'object'; readonly name: Buffer } & FileVersion)
  | { readonly kind: 'removed'; readonly name: Buffer };

export interface CommitRequest {
  /** The tree to start from; null for none. */
  readonly tree: string | null;
  readonly changes: readonly TreeChange[];
  readonly parent: Basis | null;
  readonly atMs: number;
  /** Such as `TASK-2026-02-09-057 1/before`. */
  readonly label: string;
}

const REF = 'refs/baton-draft';
const LF = Buffer.from('\n');
const NEEDS_QUOTES = /["\\\n]/;
const ANSWER = /^040000 tree ([0-9a-f]+)\t\nprogress -\n([0-9a-f]+)\n$/;

/** Makes the commit of a changed tree in one call of git, whatever the size of the tree; the parent where both are the same. */
export async function commitChanges(into: StagingArea, request: CommitRequest): Promise<Basis> {
  const { changes, parent } = request;
  if (parent && request.tree === parent.tree && changes.length === 0) return parent;
  // Left by the last one. Git would refuse to replace a ref that it cannot read.
  rmSync(join(into.folder, REF), { force: true });
  const args = ['-c', 'core.fsync=objects', 'fast-import', '--quiet', '--force', '--done'];
  const { stdout } = await git(into.place, { args, input: Buffer.concat([...streamOf(request)]) });
  const [, tree = '', commit = ''] = ANSWER.exec(stdout.toString('latin1')) ?? [];
  if (parent?.tree !== tree) return { commit, tree };
  rmSync(join(into.objects, commit.slice(0, 2), commit.slice(2)), { force: true });
  return parent;
}

/** The input of `git fast-import`. */
function* streamOf({ tree, changes, parent, atMs, label }: CommitRequest): Generator<Buffer> {
  const message = Buffer.from(`baton: ${label}\n`);
  yield Buffer.from(
    `commit ${REF}\nmark :1\ncommitter Baton <baton@localhost> ${Math.floor(atMs / 1000)} +0000\ndata ${message.length}\n`,
  );
  yield message;
  if (parent) yield Buffer.from(`from ${parent.commit}\n`);
  if (parent && tree === null) yield Buffer.from('deleteall\n');
  else if (tree !== null && tree !== parent?.tree) yield Buffer.from(`M 040000 ${tree} ""\n`);
  // Removals come first: a folder may replace a file, and a file a folder.
  for (const change of changes) if (change.kind === 'removed') yield* [Buffer.from('D '), quoted(change.name), LF];
  for (const change of changes) {
    if (change.kind === 'object') yield* [Buffer.from(`M ${change.mode} ${change.object} `), quoted(change.name), LF];
    if (change.kind === 'bytes') {
      yield* [Buffer.from(`M ${change.mode} inline `), quoted(change.name), LF];
      yield* [Buffer.from(`data ${change.bytes.length}\n`), change.bytes, LF];
    }
  }
  yield Buffer.from('ls ""\nprogress -\nget-mark :1\ndone\n');
}

/** The name under which git stores these bytes of a file. */
export function blobName(bytes: Buffer, objectBytes: number): string {
  const hash = createHash(objectBytes === 32 ? 'sha256' : 'sha1').update(`blob ${bytes.length}\0`);
  return hash.update(bytes).digest('hex');
}

/** A path as fast-import reads it: bytes as they are, but for those that would end or begin a quotation. */
function quoted(name: Buffer): Buffer {
  const text = name.toString('latin1');
  if (!NEEDS_QUOTES.test(text)) return name;
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return Buffer.from(`"${escaped}"`, 'latin1');
}
