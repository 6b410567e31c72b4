// npm run bench -- federation [--count N] [--rounds N] [--seconds N] [--nodes N]
// Messages between nodes: from the record at the sender to its record of the acknowledgement, over a real nats-server, against
// JetStream alone with the same bytes in the same run; the delay of a steady stream; ten nodes in one process. Ends with 1 when a
// bound is broken.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { natsServer } from '../scripts/nats-server.mjs';
import { TestBroker } from '../test/support/federation/test-broker.ts';
import { type BenchFleet, BenchNode, makeKeys, startElsewhere } from './federation/bench-node.ts';
import { rawRate } from './federation/raw-jetstream.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median, medianRatio } from './report/median.ts';
import { boundTable, table } from './report/table.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    nodes: { type: 'string', default: '10' },
  },
});
const COUNT = Number(flags.count);
const RATIO_MIN = 0.3;
const RATIO_AIM = 0.6;
const PER_SECOND = 500;
const P99_MS_MAX = 100;
/** Messages under way at once, as many as of JetStream alone. */
const AT_ONCE = 256;
const WAIT_MS = 120_000;
/** The other node, in a process of its own. */
const B = 'b';
const BODY = 'Build completed. Please validate the release notes of the next version. '.repeat(3);

async function until(isDone: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (!isDone()) {
    if (performance.now() > endMs) throw new Error(`${what} did not happen within ${WAIT_MS / 1_000} s`);
    await setTimeout(5);
  }
}

async function sendMany(from: BenchNode, to: string, count: number): Promise<void> {
  let left = count;
  const sender = async () => {
    while (left-- > 0) await from.send(to, BODY);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
}

/** Messages a second, each accepted in the ledger of its sender. */
async function pairRate(a: BenchNode): Promise<number> {
  const before = a.accepted;
  const startedMs = performance.now();
  await sendMany(a, B, COUNT);
  await until(() => a.accepted === before + COUNT, 'the acknowledgement of every message');
  return COUNT / ((performance.now() - startedMs) / 1_000);
}

/** The delays of a steady stream of messages. */
async function steadyDelays(a: BenchNode): Promise<readonly number[]> {
  const before = a.accepted;
  const count = PER_SECOND * Number(flags.seconds);
  const startedMs = performance.now();
  const sent: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    const dueMs = startedMs + (at * 1_000) / PER_SECOND;
    if (performance.now() < dueMs) await setTimeout(dueMs - performance.now());
    sent.push(a.send(B, BODY));
  }
  await Promise.all(sent);
  await until(() => a.accepted === before + count, 'the acknowledgement of the steady stream');
  return a.delaysAfter(before);
}

/** Each node writes to the next one, all at once: messages a second of all together. */
async function ringRate(fleet: BenchFleet): Promise<number> {
  const nodes = [...fleet.keys.keys()].map((name) => new BenchNode(name, fleet));
  for (const node of nodes) await node.start();
  const each = Math.ceil(COUNT / nodes.length);
  const startedMs = performance.now();
  await Promise.all(nodes.map((node, at) => sendMany(node, (nodes[(at + 1) % nodes.length] as BenchNode).name, each)));
  await until(
    () => nodes.every(({ accepted }) => accepted === each),
    'the acknowledgement of every message of the ring',
  );
  const rate = (each * nodes.length) / ((performance.now() - startedMs) / 1_000);
  for (const node of nodes) await node.stop();
  return rate;
}

function fleetOf(url: string, folder: string, names: readonly string[]): BenchFleet {
  return { url, folder, keys: new Map(names.map((name) => [name, makeKeys()])) };
}

async function measure(folder: string, broker: TestBroker): Promise<readonly Judgement[]> {
  const fleet = fleetOf(broker.url, join(folder, 'pair'), ['a', B]);
  const a = new BenchNode('a', fleet);
  await a.start();
  const endB = await startElsewhere(B, fleet);
  await pairRate(a);
  const [ours, raw]: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(flags.rounds); round++) {
    raw.push(await rawRate(broker.url, COUNT, a.lastEnvelope));
    ours.push(await pairRate(a));
  }
  const delays = (await steadyDelays(a)).toSorted((one, other) => one - other);
  await a.stop();
  await endB();
  const ring = Array.from({ length: Number(flags.nodes) }, (_, at) => `n${at}`);
  const ringed = await ringRate(fleetOf(broker.url, join(folder, 'ring'), ring));
  const rows = [
    ['JetStream alone, publish and consume', `${Math.round(median(raw))}/s`],
    ['Baton, to the acknowledgement in the ledger', `${Math.round(median(ours))}/s`],
    [`Baton, ${ring.length} nodes in one process, in a ring`, `${Math.round(ringed)}/s`],
    [`a message at ${PER_SECOND}/s, half of them within`, `${Math.round(median(delays))} ms`],
  ];
  process.stdout.write(`${table(['', 'messages'], rows)}\n`);
  const ratio = {
    what: 'messages to JetStream alone',
    got: medianRatio(ours, raw),
    sense: 'at least',
    unit: '×',
  } as const;
  return [
    { ...ratio, bound: RATIO_MIN, weight: 'bound' },
    { ...ratio, bound: RATIO_AIM, weight: 'aim' },
    {
      ...{
        what: `p99 of ${delays.length} messages at ${PER_SECOND}/s`,
        sense: 'at most',
        unit: ' ms',
        weight: 'bound',
      },
      got: delays[Math.floor(delays.length * 0.99)] ?? null,
      bound: P99_MS_MAX,
    },
  ];
}

if (natsServer() === null) {
  process.stderr.write('error: there is no nats-server\ntry: node scripts/nats-server.mjs\n');
  process.exit(2);
}
// Not in the temporary folder, which may be memory: the ledgers are to be on a disk, as in real life.
const cache = join(process.cwd(), '.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'bench-federation-'));
const broker = await TestBroker.start();
try {
  const judgements = await measure(folder, broker);
  process.stdout.write(boundTable(judgements));
  process.exitCode = judgements.some(isBroken) ? 1 : 0;
} finally {
  await broker.kill();
  rmSync(folder, { recursive: true, force: true });
}
