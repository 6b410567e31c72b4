import { statSync } from 'node:fs';
import type { ConfigSources } from '../config/load.ts';
import type { RunSettings } from '../dispatch/plan-world.ts';
import { SETTINGS_KEPT_MS } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';

export interface SettingsParts {
  readonly clock: Clock;
  sources(): ConfigSources;
  load(): RunSettings;
}

/**
 * The settings of runs, read anew when one of their files has changed, and after a moment in any case: a program that was
 * installed or removed changes none of them. Every step of every run asks for them.
 */
export function keptSettings({ clock, sources, load }: SettingsParts): () => RunSettings {
  let kept: { readonly settings: RunSettings; readonly stamp: string; readonly at: number } | null = null;
  return () => {
    const at = clock.now().monotonicMs;
    const stamp = stampOf(sources());
    if (kept === null || kept.stamp !== stamp || at - kept.at > SETTINGS_KEPT_MS)
      kept = { settings: load(), stamp, at };
    return kept.settings;
  };
}

/** What every write of them changes; trust is given by a file in the state folder. */
function stampOf({ mine, team, folder, stateFolder }: ConfigSources): string {
  return [mine, team, folder, stateFolder]
    .map((path) => {
      const found = path === null ? undefined : statSync(path, { throwIfNoEntry: false, bigint: true });
      return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    })
    .join(' / ');
}
