import { type Refusal, refuseField } from '../refusal.ts';
import { isWholePath, isWithin } from '../work/path-text.ts';
import type { Place } from '../work/place.ts';
import { type ExpectedOutput, type Order, SNAPSHOTS_FOLDER } from './order.ts';
import type { OrderField } from './order-field.ts';

/** The real paths of an order's paths. */
export interface PathFacts {
  /** By the path as the order names it, relative to its workspace. */
  readonly places: ReadonlyMap<string, Place>;
  /** The real path of Baton's own folder; null if there is none. */
  readonly dataFolder: string | null;
  /** Data folders of other projects that a path of the order leads into. */
  readonly otherDataFolders?: readonly string[];
}

/** The facts, and the folder in Baton's own that the order may use all the same: its work came from another node. */
type PlaceFacts = PathFacts & { readonly unpackedIn: string | null };

/** Every path of an order that admission inspects. */
export function pathsOf(order: Order): readonly string[] {
  return [...new Set([order.workspaceRoot, ...named(order).map(({ path }) => path), ...order.access.readOnlyPaths])];
}

type Use = 'grant' | 'write-grant' | 'read' | 'write' | 'snapshot';

/** A path of the order, its use, and its field. */
interface NamedPath {
  readonly path: string;
  readonly use: Use;
  readonly field: OrderField;
  /** The required type; null for a path that the work may create. */
  readonly needs: 'file' | 'folder' | null;
}

/** aop:paths: compares real paths, with links resolved, name by name. */
export function refusePaths(order: Order, pathFacts: PathFacts): Refusal | null {
  const facts = { ...pathFacts, unpackedIn: order.parcel?.root ?? null };
  const workspace = refuseWorkspace(order, facts);
  if (workspace) return workspace;
  for (const one of named(order)) {
    const refusal = refusePath(one, order, facts);
    if (refusal) return refusal;
  }
  return refuseSharedSnapshot(order, facts);
}

function refuseWorkspace({ workspaceRoot }: Order, facts: PlaceFacts): Refusal | null {
  const field = { kind: 'workspace' } as const;
  if (!isWholePath(workspaceRoot)) return notFound(`${workspaceRoot} is not an absolute path`, field);
  return refusePlace({ path: workspaceRoot, use: 'grant', field, needs: 'folder' }, facts);
}

function refusePath(one: NamedPath, order: Order, facts: PlaceFacts): Refusal | null {
  const refusal = refusePlace(one, facts);
  if (refusal) return refusal;
  const real = realPathOf(one.path, facts);
  if (one.use === 'grant' || one.use === 'write-grant') return refuseGrant(one, real);
  if (one.use === 'snapshot') return refuseSnapshot(one, real, { order, facts });
  const { readPaths, writePaths } = order.access;
  const granted = one.use === 'write' ? writePaths : [...readPaths, ...writePaths];
  if (granted.some((path) => isWithin(realPathOf(path, facts), real))) return null;
  return denied(`the task may not ${one.use} ${one.path}`, one.field);
}

const OF_THE_SYSTEM = ['/proc', '/sys', '/dev'];
const RUN_BY_GIT = /\/\.git\/(?:hooks|config)(?:\/|$)/;

/** Refuses paths that are never granted. */
function refuseGrant({ path, use, field }: NamedPath, real: string): Refusal | null {
  if (OF_THE_SYSTEM.some((folder) => isWithin(folder, real))) {
    return denied(`${path} belongs to the system and is not granted`, field);
  }
  if (use !== 'write-grant') return null;
  if (real === '/') return denied('the whole file system is not granted for writing', field);
  return RUN_BY_GIT.test(real)
    ? denied(`${path} is never granted for writing: git runs what stands in it`, field)
    : null;
}

function refusePlace(
  { path, field, needs }: NamedPath,
  { places, dataFolder, otherDataFolders = [], unpackedIn }: PlaceFacts,
): Refusal | null {
  const place = places.get(path);
  if (!place) throw new Error(`nobody looked at ${path}`);
  if (place.kind === 'other-system') return notFound(`${path} is a path of another system`, field);
  if (place.kind === 'unreadable') return notFound(`${path} cannot be looked at: ${place.reason}`, field);
  const isUnpacked = unpackedIn !== null && isWithin(unpackedIn, place.realPath);
  if (dataFolder !== null && isWithin(dataFolder, place.realPath) && !isUnpacked) {
    return denied(`${path} lies in Baton's own data folder`, field);
  }
  // The innermost one: a data folder within the work is not the work.
  if (
    otherDataFolders.some((folder) => isWithin(folder, place.realPath) && !(isUnpacked && isWithin(folder, unpackedIn)))
  ) {
    return denied(`${path} lies in a data folder of Baton`, field);
  }
  if (place.kind === 'missing') return needs === null ? null : missing(`${path} is not there`, field, needs);
  if (place.what === 'other') return denied(`${path} is neither a file nor a folder`, field);
  return needs === null || needs === place.what ? null : missing(`${path} is no ${needs}`, field, needs);
}

/** AOP §7, aop:snapshot-path: in the workspace's snapshots folder and nowhere else. */
function refuseSnapshot(
  { path, field }: NamedPath,
  real: string,
  { order, facts }: { readonly order: Order; readonly facts: PathFacts },
): Refusal | null {
  const folder = `${realPathOf(order.workspaceRoot, facts)}/${SNAPSHOTS_FOLDER}`;
  if (real === folder || !isWithin(folder, real)) {
    return denied(`${path} does not lie in ${SNAPSHOTS_FOLDER}/ of the workspace`, field);
  }
  const place = facts.places.get(path);
  if (place?.kind === 'there' && place.what === 'folder') return denied(`${path} is a folder`, field);
  const isOutput = order.outputs.some((output) => output.path !== null && realPathOf(output.path, facts) === real);
  return isOutput ? denied(`${path} is an output, not a place to keep one`, field) : null;
}

function refuseSharedSnapshot({ outputs }: Order, facts: PathFacts): Refusal | null {
  const seen = new Set<string>();
  for (const [at, { snapshot }] of outputs.entries()) {
    if (!snapshot?.path) continue;
    const real = realPathOf(snapshot.path, facts);
    if (seen.has(real)) return denied(`${snapshot.path} would keep two outputs`, snapshotField(at));
    seen.add(real);
  }
  return null;
}

function realPathOf(path: string, { places }: PathFacts): string {
  const place = places.get(path);
  if (place?.kind !== 'there' && place?.kind !== 'missing') throw new Error(`${path} cannot be resolved`);
  return place.realPath;
}

/** In the order of the message, but the grant first: the other paths are compared with it. */
function named({ workspaceRoot, access, inputs, outputs, phases }: Order): readonly NamedPath[] {
  const grant = (paths: readonly string[], kind: 'read-path' | 'write-path', use: Use): NamedPath[] =>
    paths.map((path, index) => {
      const field = path === workspaceRoot ? ({ kind: 'workspace' } as const) : { kind, index };
      return { path, use, field, needs: null };
    });
  return [
    ...grant(access.readPaths, 'read-path', 'grant'),
    ...grant(access.writePaths, 'write-path', 'write-grant'),
    ...inputs.flatMap((input, index) => expectedAt(input, { kind: 'input', index }, 'read')),
    ...outputs.flatMap((output, index) => [
      ...expectedAt(output, { kind: 'output', index, part: 'path' }, 'write'),
      ...snapshotAt(output, index),
    ]),
    ...phases.flatMap(({ position: phase, checkpoints }) =>
      checkpoints.flatMap(({ artifacts }, checkpoint) =>
        artifacts.flatMap((artifact, index) =>
          expectedAt(artifact, { kind: 'artifact', phase, checkpoint, index, part: 'path' }, 'artifact'),
        ),
      ),
    ),
  ];
}

function expectedAt(
  { type, path }: { readonly type: string; readonly path: string | null },
  field: OrderField,
  as: 'read' | 'write' | 'artifact',
): readonly NamedPath[] {
  const kind = type === 'FILE' ? 'file' : type === 'DIRECTORY' ? 'folder' : null;
  if (path === null || kind === null) return [];
  const needs = as === 'read' ? kind : null;
  return [{ path, use: as === 'write' ? 'write' : 'read', field, needs }];
}

function snapshotAt({ path, snapshot }: ExpectedOutput, index: number): readonly NamedPath[] {
  if (path === null || !snapshot?.path) return [];
  return [{ path: snapshot.path, use: 'snapshot', field: snapshotField(index), needs: null }];
}

function snapshotField(index: number): OrderField {
  return { kind: 'output', index, part: 'snapshot' };
}

function notFound(message: string, field: OrderField): Refusal {
  return refuseField('file-not-found', message, field);
}

function missing(message: string, field: OrderField, needs: 'file' | 'folder'): Refusal {
  return { ...notFound(message, field), hint: `make the ${needs}, or correct its path` };
}

function denied(message: string, field: OrderField): Refusal {
  return refuseField('permission-denied', message, field);
}
