/** The rooms of src that each room may import besides itself. ARCHITECTURE.md gives the reasons. */
const BELOW_OPERATIONS = ['domain', 'platform', 'config'];
const BELOW_LOOPS = [...BELOW_OPERATIONS, 'ledger', 'agents', 'workspace', 'checks', 'operations', 'trace'];
/** Edges translate between a protocol and the kernel. */
const BELOW_EDGES = [...BELOW_LOOPS, 'protocols', 'tree'];
const RUNNING = ['work', 'orders', 'dispatch', 'notices', 'sessions', 'reviews'];
const BELOW_API = [...BELOW_EDGES, ...RUNNING, 'open-tree', 'federation', 'remote', 'external', 'messages'];
const BELOW_CLI = [...BELOW_API, 'api', 'calls', 'node'];

export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  protocols: ['domain'],
  platform: ['domain'],
  // Configuration is YAML too: read and judged by what reads and judges messages.
  config: ['domain', 'platform', 'protocols'],
  ledger: BELOW_OPERATIONS,
  // The mirror: it shows the ledger as files and records there what it has written.
  tree: [...BELOW_OPERATIONS, 'protocols', 'ledger'],
  // Its drivers are edges; test/house/protocol-free.test.ts keeps the rest of the folder from protocols.
  agents: [...BELOW_OPERATIONS, 'protocols'],
  workspace: BELOW_OPERATIONS,
  // A check is a command of an agent's sandbox in a run's workspace.
  checks: [...BELOW_OPERATIONS, 'agents', 'workspace'],
  operations: [...BELOW_OPERATIONS, 'ledger', 'agents', 'workspace', 'checks'],
  trace: [...BELOW_OPERATIONS, 'ledger', 'operations'],
  work: BELOW_LOOPS,
  orders: [...BELOW_LOOPS, 'work'],
  dispatch: [...BELOW_LOOPS, 'work', 'orders'],
  notices: [...BELOW_LOOPS, 'orders'],
  // Turns people's changes of files into operations.
  'open-tree': BELOW_EDGES,
  // Reviewers are agent processes, and a reviewed task goes on as an order.
  reviews: [...BELOW_EDGES, 'work', 'orders', 'dispatch'],
  sessions: [...BELOW_LOOPS, 'work', 'orders', 'dispatch', 'reviews'],
  federation: BELOW_EDGES,
  // Tasks that cross from one node to another: an order at its sender, an order at its receiver, files between them.
  remote: [...BELOW_EDGES, 'work', 'orders', 'dispatch', 'federation'],
  external: [...BELOW_EDGES, 'api', 'calls', 'messages'],
  // The way in for messages: translates each protocol's into operations.
  messages: [...BELOW_EDGES, 'reviews', 'federation', 'remote'],
  api: [...BELOW_API, 'calls'],
  calls: [...BELOW_API, 'api'],
  node: [...BELOW_API, 'api', 'calls'],
  cli: BELOW_CLI,
  library: BELOW_CLI,
  main: [...BELOW_CLI, 'cli'],
};

/** The folders that may import each package; a package must be listed before it is used. */
export const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  commander: ['src/cli/'],
  uuidv7: ['src/platform/'],
  jose: ['src/external/'],
  '@nats-io/transport-node': ['src/federation/nats/'],
  '@nats-io/jetstream': ['src/federation/nats/'],
  '@nats-io/kv': ['src/federation/nats/'],
  '@nats-io/obj': ['src/federation/nats/'],
  'eventsource-parser': ['src/api/http/'],
  fastify: ['src/api/'],
  '@cfworker/json-schema': ['src/protocols/registered-schemas.ts'],
  'node-diff3': ['src/open-tree/'],
  '@agentclientprotocol/sdk': ['src/agents/drivers/acp/'],
  'smol-toml': ['src/agents/drivers/codex/'],
  yaml: ['src/protocols/yaml-text.ts', 'src/protocols/write-yaml.ts', 'src/config/'],
  zod: ['src/protocols/', 'src/config/', 'src/api/', 'src/external/', 'src/agents/drivers/'],
};

/** Folders with nothing but pure code: values in, values out, the same in a browser. */
export const PURE_LAYERS = ['domain', 'protocols'];

/** Implementations behind a contract: only the composition root and tests know them. */
export const IMPLEMENTATIONS = [
  'src/agents/drivers/',
  'src/federation/nats/',
  'src/federation/local/',
  'src/federation/memory/',
];

export function layerOf(path: string): string | undefined {
  return /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1];
}
