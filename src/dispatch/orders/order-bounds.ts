import type { DriverName } from '../../domain/agent.ts';
import { type BeyondBounds, beyondBounds } from '../../domain/decisions/admit-bounds.ts';
import { type PathFacts, pathsOf } from '../../domain/decisions/admit-paths.ts';
import type { Order } from '../../domain/order.ts';
import { priceOf } from '../../domain/price.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import type { PlanWorld } from '../plan-world.ts';
import type { RunSettings } from '../run-settings.ts';

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

/** A person who sets a cap on money must not rely on one that nothing is counted against. */
export function uselessCap(
  world: CapWorld,
  agent: { readonly name: string; readonly driver: DriverName; readonly model: string },
  capUsd: number | null,
): readonly string[] {
  if (capUsd === null || !world.drivers[agent.driver]?.reportsNoCost) return [];
  const { date } = priceOf(world.settings().prices, [agent.model]) ?? {};
  if (date !== undefined) {
    return [
      `${agent.name} reports tokens when it ends: your prices of ${date} make the cost, and the cap is judged then`,
    ];
  }
  const setting = `prices.${agent.model}`;
  return [`${agent.name} reports tokens and no cost: the cap of $${capUsd} cannot stop it unless you set ${setting}`];
}

interface CapWorld {
  readonly drivers: Readonly<Partial<Record<DriverName, { readonly reportsNoCost?: boolean }>>>;
  settings(): Pick<RunSettings, 'prices'>;
}
