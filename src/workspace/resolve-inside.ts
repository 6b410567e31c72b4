import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { isWithin } from '../domain/work/path-text.ts';
import { resolvePath } from './resolve-path.ts';

/** How a path of an order lies to its workspace, every link followed. */
export type PlaceInWorkspace =
  | { readonly kind: 'inside'; readonly real: string }
  | { readonly kind: 'outside' }
  | { readonly kind: 'other-system' }
  /** Inside, and not there; `nearest` is the deepest folder on the way that is. */
  | { readonly kind: 'missing'; readonly real: string; readonly nearest: string };

export function placeOf(path: string, workspaceRoot: string): PlaceInWorkspace {
  const root = resolvePath(workspaceRoot, '/');
  const place = resolvePath(path, workspaceRoot);
  if (place.kind === 'other-system' || root.kind === 'other-system') return { kind: 'other-system' };
  if (root.kind !== 'there' || place.kind === 'unreadable') return { kind: 'outside' };
  if (!isWithin(root.realPath, place.realPath)) return { kind: 'outside' };
  if (place.kind === 'there') return { kind: 'inside', real: place.realPath };
  return { kind: 'missing', real: place.realPath, nearest: nearestOf(place.realPath) };
}

function nearestOf(path: string): string {
  let nearest = dirname(path);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return nearest;
}

/** The real path of what lies in a folder, whether it is there yet or not; what leads out of it is refused. */
export function resolveInside(root: string, path: string): string | Refusal {
  const place = placeOf(path, root);
  switch (place.kind) {
    case 'inside':
    case 'missing':
      return place.real;
    case 'other-system':
      return refuse('file-not-found', `${path} is a path of another system`);
    case 'outside':
      return refuse('permission-denied', `${path} points outside of ${root}`);
  }
}
