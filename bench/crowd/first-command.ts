// A fresh process on a full ledger: first-command.ts FOLDER. Opens it, has one command answered, says what that took.
import { openLedger } from '../life/open-ledger.ts';
import { createOne } from '../life/play-life.ts';

export interface FirstCommand {
  /** Since the process began. */
  readonly answeredMs: number;
  /** At its highest. */
  readonly residentMiB: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('first-command.ts FOLDER');
const ledger = openLedger(folder);
await createOne(ledger);
const answeredMs = performance.now();
ledger.close();
const first: FirstCommand = { answeredMs, residentMiB: process.resourceUsage().maxRSS / 1024 };
process.stdout.write(JSON.stringify(first));
