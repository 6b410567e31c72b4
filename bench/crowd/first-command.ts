// A fresh process on a full ledger: first-command.ts FOLDER. Opens it, has one command answered, says what that took.
import { planTick } from '../../src/dispatch/plan-tick.ts';
import { openLedger } from '../life/open-ledger.ts';
import { createOne } from '../life/play-life.ts';

export interface FirstCommand {
  /** Since the process began. */
  readonly answeredMs: number;
  readonly tickMs: number;
  /** At its highest. */
  readonly residentMiB: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('first-command.ts FOLDER');
const ledger = openLedger(folder);
await createOne(ledger);
const answeredMs = performance.now();
// Warm, as in a node that ticks: the first tick prepares its statements.
const slots = { ofAgent: { 'swe-backend': 4 }, inAll: 8 };
planTick(ledger.read, slots, Date.now());
const tickFrom = performance.now();
const planned = planTick(ledger.read, slots, Date.now());
const tickMs = performance.now() - tickFrom;
if (planned.length === 0) throw new Error('the tick found nothing to start');
ledger.close();
const first: FirstCommand = { answeredMs, tickMs, residentMiB: process.resourceUsage().maxRSS / 1024 };
process.stdout.write(JSON.stringify(first));
