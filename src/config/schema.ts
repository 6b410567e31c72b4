import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { DRIVER_NAMES } from '../domain/agent/agent.ts';
import { ON_QUOTA } from '../domain/agent/quota.ts';
import { GAP_POLICIES } from '../domain/federation/advance-cursor.ts';
import { FEDERATION_REPLICAS_MAX, WORK_MIB_SETTING_MAX } from '../domain/federation/federation-limits.ts';
import {
  FEEDBACK_ROUNDS_MAX,
  QUESTION_TIMEOUT_SECONDS_MAX,
  SLOTS_SETTING_MAX,
  TIMEOUT_SECONDS_SETTING_MAX,
} from '../domain/limits.ts';
import { SANDBOX_MEMORY_MIB_SETTING_MAX, SANDBOX_MEMORY_MIB_SETTING_MIN } from '../domain/process-limits.ts';
import { ENTROPY_ACTIONS } from '../domain/trace/detect-entropy.ts';
import { text } from '../protocols/fields.ts';
import type { Issue } from '../protocols/issue.ts';
import type { MessageKind } from '../protocols/judge-value.ts';
import { whyNoEventType } from '../protocols/registered-schemas.ts';
import { noticeRules, noticesAreWhole } from './notice-rules.ts';

// The shape of config.yaml and baton.yaml. Keys are snake_case, as users write them.

const PORT_MAX = 65_535;

/** For a vendor's quota that is used up: wait for its reset, use another agent, or ask a person. */
const onQuota = z.enum(ON_QUOTA);

const agent = z.object({
  driver: z.enum(DRIVER_NAMES),
  model: text().optional(),
  role: text().optional(),
  provider: text().optional(),
  /** A program and its arguments: no shell reads it. */
  command: z.array(text()).min(1).optional(),
  /** Files and folders that the program reads beside its own code. */
  files: z.array(text()).optional(),
  /** Names of variables that the program gets beside the usual ones. */
  env: z.array(text()).optional(),
  /** Hosts of its model; for the drivers that do not know them. */
  hosts: z.array(text()).optional(),
  /** Files and folders outside of the workspace that it may write, such as its sessions. */
  writes: z.array(text()).optional(),
  /** Media types of artifacts that it reviews, such as text/* or image/png; those of text if absent. */
  media_types: z.array(text()).min(1).optional(),
  aop_versions_supported: z.array(text()).min(1).optional(),
  /** For orders without a timeout of their own. */
  timeout_seconds: z.int().min(1).max(TIMEOUT_SECONDS_SETTING_MAX).optional(),
  /** In place of the common setting. */
  on_quota: onQuota.optional(),
  /** Tasks that it may run at the same time. */
  at_once: z.int().min(1).max(SLOTS_SETTING_MAX).optional(),
});

const amount = z.number().min(0).max(1_000_000);

/** US dollars for a million tokens, as the vendor's price list had them on a day. */
const price = z.object({
  date: z.iso.date(),
  input_usd: amount,
  /** The price of cached input; that of other input if absent. */
  cached_input_usd: amount.optional(),
  output_usd: amount,
});

const entropyAction = z.enum(ENTROPY_ACTIONS);

const config = z.object({
  $schema: text().optional(),
  default_agent: text().optional(),
  agents: z.record(z.string(), agent).optional(),
  checks: z.array(text()).optional(),
  /** Lets a check use pipes and variables; a shell then runs it. */
  allow_shell: z.boolean().optional(),
  network: z
    .object({
      restricted: z.array(text()).optional(),
      /** The most that an order may ask for. */
      max: z.enum(['RESTRICTED', 'FULL']).optional(),
    })
    .optional(),
  /** Paths beside the workspace that orders may ask for, with everything below them. */
  access: z.object({ allow: z.array(text()).optional() }).optional(),
  budgets: z.object({ run_usd: amount.optional(), day_usd: amount.optional() }).optional(),
  on_quota: onQuota.optional(),
  /** By model, for vendors that report tokens and no cost. */
  prices: z.record(z.string(), price).optional(),
  worktree: z.object({ setup: z.array(text()).optional(), include: z.array(text()).optional() }).optional(),
  /** `required`: no order runs without a sandbox, whatever it asks for. */
  sandbox: z.enum(['required', 'preferred']).optional(),
  /** Limits for all agents together. */
  runs: z
    .object({
      at_once: z.int().min(1).max(SLOTS_SETTING_MAX).optional(),
      /** Memory of each process in the sandbox. */
      memory_mib: z.int().min(SANDBOX_MEMORY_MIB_SETTING_MIN).max(SANDBOX_MEMORY_MIB_SETTING_MAX).optional(),
    })
    .optional(),
  /** Questions of agents to a person. */
  questions: z
    .object({
      /** An open question counts as no after this time. */
      timeout_seconds: z.int().min(1).max(QUESTION_TIMEOUT_SECONDS_MAX).optional(),
    })
    .optional(),
  /** Types of events that agents may add to a trace, each with the JSON Schema of its payload (SAOP §3). */
  event_types: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  /** The action on a run that repeats itself, loses confidence or keeps failing (SAOP). */
  entropy: z
    .object({
      repetition: entropyAction.optional(),
      confidence: entropyAction.optional(),
      failures: entropyAction.optional(),
    })
    .optional(),
  /** Work in review is reviewed by another agent first. */
  review: z
    .object({
      /** Names of agents, separated by commas. */
      by: text(),
      rounds: z.int().min(1).max(FEEDBACK_ROUNDS_MAX).optional(),
      /** When nothing is left: `person` (the default) waits for you, `done` accepts checked work. */
      // biome-ignore lint/suspicious/noThenProperty: the word of the configuration; it is never awaited.
      then: z.enum(['person', 'done']).optional(),
      /** A reviewer of the author's own vendor counts, too. */
      same_vendor: z.boolean().optional(),
    })
    .optional(),
  notify: noticeRules.optional(),
  /** Keys whose receipts count: a name and the id of a key. */
  known_keys: z.record(z.string(), text()).optional(),
  /** Other machines: the store that nodes share, and the name of this one. */
  federation: z
    .object({
      transport: z.enum(['nats', 'local']),
      /** The addresses of the NATS servers, separated by commas. */
      url: text().optional(),
      /** A file with the credentials of this node. */
      creds: text().optional(),
      tls_ca: text().optional(),
      tls_cert: text().optional(),
      tls_key: text().optional(),
      /** The folder that nodes of one machine share. */
      folder: text().optional(),
      /** By default the name of the machine. */
      node: text().optional(),
      /** Several federations can use one store. */
      name: text().optional(),
      /** Copies that a cluster of servers keeps. */
      replicas: z.int().min(1).max(FEDERATION_REPLICAS_MAX).optional(),
      /** For events that do not come. */
      gap_policy: z.enum(GAP_POLICIES).optional(),
      /** `first`: a node counts with the keys that it showed first. `listed`: only after baton node trust. */
      trust: z.enum(['first', 'listed']).optional(),
      /** The agents that others may use; all but demo if absent. */
      agents: z.array(text()).optional(),
      /** Tasks of other nodes that this one takes at the same time; 0 for none. */
      room: z.int().min(0).max(SLOTS_SETTING_MAX).optional(),
      /** The files of a task that this node sends to others, or takes from them. */
      work_mib: z.int().min(1).max(WORK_MIB_SETTING_MAX).optional(),
    })
    .optional(),
  http: z
    .object({
      host: text().optional(),
      port: z.int().min(0).max(PORT_MAX).optional(),
      tls_cert: text().optional(),
      tls_key: text().optional(),
    })
    .optional(),
});

/** The first words of all keys. */
export const SETTING_NAMES: readonly string[] = Object.keys(config.shape);

export type AgentSettings = z.infer<typeof agent>;
export type Config = z.infer<typeof config>;

/** Drivers without a program of their own. */
const NEEDS_COMMAND: ReadonlySet<string> = new Set(['acp', 'process']);
const AGENT_NAME = /^[A-Za-z0-9._-]{1,64}$/;

export const CONFIG: MessageKind<Config> = {
  kind: 'config',
  schema: config as unknown as z.ZodType<Config>,
  rules: [
    agentsAreWhole,
    eventTypesAreWhole,
    includesStayInside,
    allowedIsWhole,
    serverIsPlain,
    federationIsWhole,
    noticesAreWhole,
  ],
  advice: [],
  unknownFields: () => 'refuse',
  codeOf: () => 'invalid_config',
};

function agentsAreWhole({ agents = {} }: Config): readonly Issue[] {
  return Object.entries(agents).flatMap(([name, { driver, command }]) => {
    const path = ['agents', name];
    const issues: Issue[] = [];
    if (!AGENT_NAME.test(name)) issues.push({ path, kind: 'bad-format', format: 'agent-name', got: name });
    if (NEEDS_COMMAND.has(driver) && command === undefined)
      issues.push({ path: [...path, 'command'], kind: 'needed-because', because: `the driver is ${driver}` });
    return issues;
  });
}

function eventTypesAreWhole({ event_types: types = {} }: Config): readonly Issue[] {
  return Object.entries(types).flatMap(([name, schema]): Issue[] => {
    const because = whyNoEventType(name, schema);
    return because === null ? [] : [{ path: ['event_types', name], kind: 'not-allowed', because }];
  });
}

/** Files copied into a worktree come from inside the repository. */
function includesStayInside({ worktree }: Config): readonly Issue[] {
  return (worktree?.include ?? []).flatMap((file, at): Issue[] =>
    file.startsWith('/') || file.split('/').includes('..')
      ? [{ path: ['worktree', 'include', at], kind: 'not-allowed', because: 'it points outside of the repository' }]
      : [],
  );
}

/** A path in the home may begin with `~/`. */
function allowedIsWhole({ access }: Config): readonly Issue[] {
  return (access?.allow ?? []).flatMap((path, at): Issue[] =>
    isAbsolute(path) || path === '~' || path.startsWith('~/')
      ? []
      : [{ path: ['access', 'allow', at], kind: 'bad-format', format: 'whole-path', got: path }],
  );
}

/** Refuses host names and relative paths: a name may resolve to another address, a relative path to another file. */
function serverIsPlain({ http = {} }: Config): readonly Issue[] {
  const { host = 'localhost', tls_cert = '/', tls_key = '/' } = http;
  const issues: Issue[] = [];
  if (host !== 'localhost' && (isIP(host) === 0 || host.includes('%')))
    issues.push({ path: ['http', 'host'], kind: 'bad-format', format: 'address', got: host });
  for (const [name, path] of Object.entries({ tls_cert, tls_key }))
    if (!isAbsolute(path)) issues.push({ path: ['http', name], kind: 'bad-format', format: 'whole-path', got: path });
  return issues;
}

const FEDERATION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

function federationIsWhole({ federation }: Config): readonly Issue[] {
  if (!federation) return [];
  const {
    transport,
    url,
    folder,
    node = 'a',
    name = 'a',
    creds = '/',
    tls_ca = '/',
    tls_cert = '/',
    tls_key = '/',
  } = federation;
  const needed = transport === 'nats' ? (['url', url] as const) : (['folder', folder] as const);
  const because = `federation.transport is ${transport}`;
  const issues: Issue[] =
    needed[1] === undefined ? [{ path: ['federation', needed[0]], kind: 'needed-because', because }] : [];
  for (const [key, value] of Object.entries({ node, name }))
    if (!FEDERATION_NAME.test(value))
      issues.push({ path: ['federation', key], kind: 'bad-format', format: 'node-name', got: value });
  for (const [key, path] of Object.entries({ folder: folder ?? '/', creds, tls_ca, tls_cert, tls_key }))
    if (!isAbsolute(path))
      issues.push({ path: ['federation', key], kind: 'bad-format', format: 'whole-path', got: path });
  return issues;
}

/** Whether it names a program, or something that a program may read, write or reach. */
export function namesCommand({ driver, command, files, env, hosts, writes }: AgentSettings): boolean {
  const named = [command, files, env, hosts, writes];
  return named.some((each) => each !== undefined) || NEEDS_COMMAND.has(driver);
}
