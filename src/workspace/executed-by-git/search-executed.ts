import type { ExecutedByGit, GitInventory } from '../../domain/execution/findings.ts';
import type { EarlierRules } from '../shadow/find-names.ts';
import type { ShadowPlace } from '../shadow/private-repository.ts';
import { userConfigFolder } from './git-settings.ts';
import { hashOfRules, ignoreRules, keepRules, keptRules } from './ignore-rules.ts';
import { type Inventory, type InventoryPlace, takeInventory } from './inventory.ts';

export interface SearchPlace extends InventoryPlace {
  /** Null without git. */
  readonly shadows: ShadowPlace | null;
}

/** The clock that stamps files runs a few milliseconds behind. */
const CLOCK_GRAIN_MS = 20;
const NOT_SEEN_KEPT_MAX = 200;

/** Records everything that git executes, before an agent works. */
export async function inventoryBefore(place: SearchPlace, at: number): Promise<GitInventory> {
  const inventory = await takeInventory(place);
  const rules = rulesOf(place, inventory);
  return {
    marks: Object.fromEntries([...inventory.entries].map(([path, { mark }]) => [path, mark])),
    notSeen: inventory.notSeen.slice(0, NOT_SEEN_KEPT_MAX),
    rules: rules === null ? null : keepRules(place.dataFolder, rules),
    at,
  };
}

export interface FoundExecuted {
  /** By whole paths, in their order. */
  readonly executed: readonly ExecutedByGit[];
  readonly notSeen: readonly string[];
  /** The ignore rules from before, if the present ones are others. */
  readonly rules: EarlierRules | undefined;
}

/** Finds everything that git executes now, and that was absent or different before. */
export async function searchExecuted(place: SearchPlace, before: GitInventory): Promise<FoundExecuted> {
  const inventory = await takeInventory(place);
  const found = [...inventory.entries].filter(([path, { mark }]) => before.marks[path] !== mark);
  const rules = changedRules(place, before, rulesOf(place, inventory));
  return {
    executed: found.map(([path, { reason }]) => ({ path, reason })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    // A folder that could not be read before either is the user's own.
    notSeen: [
      ...inventory.notSeen.filter((path) => !before.notSeen.includes(path)),
      ...(rules === 'lost' ? [`${place.root} (files that it ignores: the ignore rules from before are gone)`] : []),
    ],
    rules: rules === 'lost' ? undefined : rules,
  };
}

function rulesOf({ shadows, user }: SearchPlace, { names }: Inventory): string | null {
  const config = userConfigFolder(user);
  return shadows && ignoreRules(shadows, names.ignoreFiles, config && `${config}/git/ignore`);
}

/** Undefined where the rules are the same as before. */
function changedRules(place: SearchPlace, before: GitInventory, now: string | null) {
  if (place.shadows === null || (now !== null && hashOfRules(now) === before.rules)) return undefined;
  return rulesBefore(place.dataFolder, before) ?? ('lost' as const);
}

/** The ignore rules from before the work; null where they were not kept or are gone. */
export function rulesBefore(dataFolder: string, { rules, at }: GitInventory): EarlierRules | null {
  const file = rules && keptRules(dataFolder, rules);
  return file ? { file, sinceMs: at - CLOCK_GRAIN_MS } : null;
}
