import { needsTrust, type Setting, type Settings } from './settings.ts';

export interface Layer {
  /** Who says so. */
  readonly origin: string;
  readonly settings: Settings;
  /** Where nobody has trusted it, what names a command or widens a right does not count. */
  readonly isTrusted: boolean;
}

export interface LayeredSettings {
  readonly settings: readonly Setting[];
  /** What would count if it were trusted. */
  readonly withheld: readonly Setting[];
}

/** Later wins. */
export function layerSettings(layers: readonly Layer[]): LayeredSettings {
  const held = new Map<string, Setting>();
  const withheld: Setting[] = [];
  for (const { origin, settings, isTrusted } of layers) {
    for (const [key, value] of settings) {
      const setting = { key, value, origin };
      if (isTrusted || !needsTrust(key, value, held.get(key)?.value)) held.set(key, setting);
      else withheld.push(setting);
    }
  }
  const settings = [...held.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  return { settings, withheld };
}
