import { type BeyondBounds, beyondBounds } from '../../domain/decisions/admit-bounds.ts';
import { type PathFacts, pathsOf } from '../../domain/decisions/admit-paths.ts';
import type { Order } from '../../domain/order.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import type { PlanWorld } from '../plan-world.ts';

/** The paths and network of an order that exceed the configured bounds, whatever its caller allows. */
export function beyondConfigured(world: PlanWorld, order: Order): BeyondBounds {
  const { bounds } = world.settings();
  const facts = { places: placesOf(order), dataFolder: null, homes: world.homes, allowed: realAllowed(bounds.allow) };
  return beyondBounds(order, bounds.network, facts);
}

export function placesOf(order: Order): PathFacts['places'] {
  return new Map(pathsOf(order).map((path) => [path, resolvePath(path, order.workspaceRoot)]));
}

export function realAllowed(paths: readonly string[]): readonly string[] {
  return paths.map((path) => realPathOf(path, '/') ?? path);
}
