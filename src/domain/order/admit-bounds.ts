import { type Refusal, refuseField } from '../refusal.ts';
import { isWithin } from '../work/path-text.ts';
import { holdsHome, isOfSystem, isPrivatePlace } from '../work/private-places.ts';
import type { NetworkLevel } from './access.ts';
import type { PathFacts } from './admit-paths.ts';
import type { Order } from './order.ts';
import type { OrderField } from './order-field.ts';

/** The most that an operator lets orders ask for, beside their workspaces. */
export interface AccessBounds {
  /** Paths that may be granted, with everything below them. */
  readonly allow: readonly string[];
  readonly network: NetworkLevel;
}

export interface BoundFacts extends PathFacts {
  /** The homes of the user. */
  readonly homes: readonly string[];
  /** The real paths of the operator's `allow`. */
  readonly allowed: readonly string[];
}

/** The paths and network of an order that exceed the bounds of its operator. */
export interface BeyondBounds {
  /** As the order names them. */
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  readonly isWholeNetwork: boolean;
}

/**
 * aop:operator-bounds. The workspace needs no permission, unless it is a home, contains one, or lies where secrets are kept: then
 * each path of it does.
 */
export function beyondBounds(order: Order, network: NetworkLevel, facts: BoundFacts): BeyondBounds {
  const { workspaceRoot, access } = order;
  const workspace = realPathOf(workspaceRoot, facts);
  const isWide = holdsHome(workspace, facts.homes) || isPrivatePlace(workspace, facts.homes);
  const roots = [...(isWide ? [] : [workspace]), ...facts.allowed];
  const isBeyond = (path: string) => !roots.some((root) => isWithin(root, realPathOf(path, facts)));
  const writePaths = access.writePaths.filter(isBeyond);
  const readPaths = access.readPaths.filter(
    (path) => isBeyond(path) && !isOfSystem(realPathOf(path, facts)) && !writePaths.includes(path),
  );
  return { readPaths, writePaths, isWholeNetwork: access.network === 'FULL' && network !== 'FULL' };
}

/** Everything that somebody has to allow before the order may run: what exceeds the bounds that it was given. */
export function needsOf(order: Order, facts: BoundFacts): BeyondBounds {
  const { network } = order.bounds ?? NO_LEAVE;
  return beyondBounds(order, network, facts);
}

/** Refuses an order that needs leave and has nobody who could give it. */
export function refuseNeeds(order: Order, { readPaths, writePaths, isWholeNetwork }: BeyondBounds): Refusal | null {
  const asked = [
    ...readPaths.map((path) => `read ${path}`),
    ...writePaths.map((path) => `write ${path}`),
    ...(isWholeNetwork ? ['use the whole network (FULL)'] : []),
  ];
  if (asked.length === 0) return null;
  const [first] = [...readPaths, ...writePaths];
  const message = `the order asks for more than you allow: ${asked.join(', ')}`;
  const refusal = refuseField('permission-denied', message, fieldOf(order, first));
  const hints = [
    ...(first === undefined ? [] : [`--allow ${first}, or access.allow in your configuration`]),
    ...(isWholeNetwork ? ['--net full, or network.max: FULL in your configuration'] : []),
  ];
  return { ...refusal, hint: hints.join('; ') };
}

const NO_LEAVE: AccessBounds = { allow: [], network: 'RESTRICTED' };

function fieldOf({ workspaceRoot, access }: Order, path: string | undefined): OrderField {
  if (path === undefined) return { kind: 'network' };
  if (path === workspaceRoot) return { kind: 'workspace' };
  const index = access.readPaths.indexOf(path);
  return index === -1 ? { kind: 'write-path', index: access.writePaths.indexOf(path) } : { kind: 'read-path', index };
}

/** Paths that lead nowhere are refused before. */
function realPathOf(path: string, { places }: PathFacts): string {
  const place = places.get(path);
  return place && 'realPath' in place ? place.realPath : path;
}
