// npm run sim -- fleet [--nodes N] [--agents N] [--events N]
// A fleet of nodes on the transport in memory, in virtual time, as it grows: calls of the store and processor time for a node
// that joins, a node's heartbeat, and a message from one agent to another with its acknowledgement. Ends with 1 when a cost for
// one node or one event grows with the fleet.
import { parseArgs } from 'node:util';
import { type FleetCost, SimFleet } from './federation/sim-fleet.ts';
import { format } from './report/judgement.ts';
import { table } from './report/table.ts';

const { values: flags } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '100' },
    events: { type: 'string', default: '2000' },
  },
});

/** A cost that is constant varies by this much; one that grows with the fleet is a hundred times as high at its end. */
const GROWTH_MAX = 3;

const largest = Number(flags.nodes);
const sizes = [...new Set([10, 30, 100, 300, 1_000].filter((size) => size < largest).concat(largest))];

const costs: FleetCost[] = [];
const rows: string[][] = [];
for (const nodes of sizes) {
  const fleet = new SimFleet({ nodes, agents: Number(flags.agents), events: Number(flags.events) });
  const cost = await fleet.measure();
  await fleet.close();
  costs.push(cost);
  rows.push([
    nodes.toLocaleString('en'),
    (nodes * Number(flags.agents)).toLocaleString('en'),
    ...[cost.joinCalls, cost.joinMs, cost.beatCalls, cost.beatMs].map(format),
    ...[cost.eventCalls, cost.eventFrames, cost.eventMicros].map(format),
  ]);
}
const header = ['nodes', 'agents', 'calls a join', 'ms', 'calls a heartbeat', 'ms', 'calls an event', 'frames', 'µs'];
process.stdout.write(table(header, rows));

/** Messages and calls are counted exactly; processor time beside other work is only shown. */
const COUNTED = ['joinCalls', 'beatCalls', 'eventCalls', 'eventFrames'] as const;
const [first, last] = [costs[0], costs.at(-1)];
const grown = COUNTED.filter((name) => first && last && last[name] > first[name] * GROWTH_MAX);
for (const name of grown) process.stdout.write(`BROKEN ${name} grows with the fleet\n`);
if (grown.length === 0) process.stdout.write('no count for one node or one event grows with the fleet\n');
process.exitCode = grown.length === 0 ? 0 : 1;
