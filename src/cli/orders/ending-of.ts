import type { NodeClient } from '../../api/contract.ts';
import type { OrderReport } from '../../api/order-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Call } from '../command.ts';
import { folderFlagOf } from '../folder-flag.ts';
import { isRecorded } from '../output/next-steps.ts';
import type { Ending } from '../output/report-text.ts';

/** The report with what a person wants to see beside it; a program has its RESPONSE, and waits for nothing more. */
export async function endingOf(call: Call, client: NodeClient, report: OrderReport): Promise<Ending> {
  const isShown = !call.flags.json && report.changed.length > 0 && isRecorded(report);
  const diff = isShown ? await client.diffWork(report.task.id) : null;
  return { report, stat: diff === null || isRefusal(diff) ? [] : diff.files, folderFlag: folderFlagOf(call) };
}
