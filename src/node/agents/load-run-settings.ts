import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findAgents, untrustedAgents } from '../../agents/find-agents.ts';
import { type ConfigSources, loadAgentPlaces, loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { configOf, withheldByFile } from '../../config/settings.ts';
import {
  MIB,
  QUESTION_TIMEOUT_SECONDS_DEFAULT,
  REVIEW_ROUNDS_DEFAULT,
  SETTINGS_KEPT_MS,
  SLOTS_DEFAULT,
  SLOTS_PER_AGENT_DEFAULT,
} from '../../domain/limits.ts';
import type { ReviewPolicy } from '../../domain/order/order.ts';
import type { NoticeRule, RunSettings } from '../../orders/run-settings.ts';
import type { Clock } from '../../platform/clock.ts';
import { npmRegistryHosts } from '../../platform/npm-registry.ts';
import { agentSources } from './list-agents.ts';

/** Reads the settings of runs from the configuration. Orders keep those that they were accepted with; slots, the cap of the day and notices count at once. */
export function loadRunSettings(dataFolder: string): RunSettings {
  const { settings, withheld } = loadConfig(loadConfigSources(dataFolder));
  const config = configOf(settings);
  const places = { ...loadAgentPlaces(), root: dirname(dataFolder) };
  const isWorkspace = basename(dataFolder) === '.baton';
  const agents = findAgents(agentSources({ agents: config.agents ?? {}, ...places, isWorkspace }));
  return {
    agents: agents.filter(({ missing }) => missing === null),
    unready: [
      ...agents.flatMap(({ name, missing }) => (missing === null ? [] : [{ name, missing }])),
      ...untrustedAgents(withheld).map(({ name, missing }) => ({ name, missing, isUntrusted: true })),
    ],
    withheld: withheldByFile(withheld),
    defaultAgent: config.default_agent ?? null,
    checks: config.checks ?? [],
    hosts: hostsOfPresets(config.network?.restricted ?? []),
    bounds: {
      allow: (config.access?.allow ?? []).map((path) => path.replace(/^~(?=\/|$)/, places.homes[0] ?? '~')),
      network: config.network?.max ?? 'RESTRICTED',
    },
    isShellAllowed: config.allow_shell ?? false,
    isSandboxDemanded: config.sandbox === 'required',
    worktree: { setup: config.worktree?.setup ?? [], include: config.worktree?.include ?? [] },
    runUsdMax: config.budgets?.run_usd ?? null,
    dayUsdMax: config.budgets?.day_usd ?? null,
    prices: pricesOf(config.prices ?? {}),
    slots: slotsOf(config, agents),
    review: reviewOf(config),
    memoryBytesMax: config.runs?.memory_mib === undefined ? null : config.runs.memory_mib * MIB,
    onQuota: {
      usual: config.on_quota ?? 'wait',
      ofAgent: Object.fromEntries(
        Object.entries(config.agents ?? {}).flatMap(([name, { on_quota: own }]) => (own ? [[name, own]] : [])),
      ),
    },
    eventTypes: config.event_types ?? {},
    ...(config.entropy && { entropy: config.entropy }),
    notices: noticesOf(config),
    questionTimeoutMs: (config.questions?.timeout_seconds ?? QUESTION_TIMEOUT_SECONDS_DEFAULT) * 1_000,
  };
}

/** A rule may name several places, and several rules the same one: each place is in one of them. */
function noticesOf({ notify = [] }: Config): readonly NoticeRule[] {
  const rules = notify.flatMap(({ on, desktop, bell, command, webhook, secret_file: secretFile }): NoticeRule[] => [
    ...(desktop ? [{ on, place: 'desktop' as const, target: [] }] : []),
    ...(bell ? [{ on, place: 'bell' as const, target: [] }] : []),
    ...(command ? [{ on, place: 'command' as const, target: command }] : []),
    ...(webhook ? [{ on, place: 'webhook' as const, target: [webhook], secretFile: secretFile ?? '' }] : []),
  ]);
  const byPlace = new Map<string, NoticeRule>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.place, rule.target]);
    byPlace.set(key, { ...rule, on: [...new Set([...(byPlace.get(key)?.on ?? []), ...rule.on])] });
  }
  return [...byPlace.values()];
}

function reviewOf({ review }: Config): ReviewPolicy | null {
  if (!review) return null;
  const {
    by,
    rounds = REVIEW_ROUNDS_DEFAULT,
    then: whenClean = 'person',
    same_vendor: isSameVendorAllowed = false,
  } = review;
  const names = by.split(',').map((name) => name.trim());
  return { by: names.filter((name) => name !== ''), roundsMax: rounds, whenClean, isSameVendorAllowed };
}

function pricesOf(table: NonNullable<Config['prices']>): RunSettings['prices'] {
  const entries = Object.entries(table).map(([model, price]) => {
    const { date, input_usd: inputUsd, cached_input_usd: cachedInputUsd = inputUsd, output_usd: outputUsd } = price;
    return [model, { date, inputUsd, cachedInputUsd, outputUsd }] as const;
  });
  return Object.fromEntries(entries);
}

function slotsOf({ agents = {}, runs }: Config, found: readonly { readonly name: string }[]): RunSettings['slots'] {
  const ofAgent = Object.fromEntries(found.map(({ name }) => [name, agents[name]?.at_once ?? SLOTS_PER_AGENT_DEFAULT]));
  return { ofAgent, inAll: runs?.at_once ?? SLOTS_DEFAULT };
}

const GITHUB = [
  'github.com',
  'api.github.com',
  'codeload.github.com',
  'objects.githubusercontent.com',
  'raw.githubusercontent.com',
];

/** The hosts of each preset name; any other name is itself a host. */
export function hostsOfPresets(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    if (word === 'npm') return npmRegistryHosts();
    return word === 'github' ? GITHUB : [word];
  });
}

interface SettingsParts {
  readonly clock: Clock;
  sources(): ConfigSources;
  /** Changes with what is known of the agents' programs. */
  programs(): number;
  load(): RunSettings;
}

/**
 * Caches the settings of runs, which every step of every run asks for. They are read again when one of their files has
 * changed or a program told its version, and after SETTINGS_KEPT_MS in any case: installing or removing a program changes no file of them.
 */
export function keptSettings({ clock, sources, programs, load }: SettingsParts): () => RunSettings {
  let cached: { readonly settings: RunSettings; readonly stamp: string; readonly at: number } | null = null;
  return () => {
    const at = clock.now().monotonicMs;
    const stamp = `${stampOf(sources())} / ${programs()}`;
    if (cached === null || cached.stamp !== stamp || at - cached.at > SETTINGS_KEPT_MS)
      cached = { settings: load(), stamp, at };
    return cached.settings;
  };
}

/** A stamp that changes with every write of these files; the state folder holds the trusted paths. */
function stampOf({ mine, team, folder, stateFolder }: ConfigSources): string {
  return [mine, team, folder, stateFolder]
    .map((path) => {
      const found = path === null ? undefined : statSync(path, { throwIfNoEntry: false, bigint: true });
      return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    })
    .join(' / ');
}
