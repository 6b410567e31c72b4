import type { NodeClient } from '../../api/node-client.ts';
import type { DiffAnswer, OrderReport } from '../../api/order/order-contract.ts';
import { assertNever } from '../../domain/assert-never.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { pathBelow } from '../../domain/work/path-text.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Call } from '../command.ts';
import { isRecorded } from '../output/next-steps.ts';
import type { Ending } from '../work/report-text.ts';

export const EXIT_STOPPED = 130;
/** Somebody has to continue it. */
export const EXIT_PAUSED = 5;

/** 0 checked · 1 failed · 3 partial or unchecked · 4 aborted · 130 stopped. */
export function exitCodeOf({ verdict, stoppedBy }: Pick<OrderReport, 'verdict' | 'stoppedBy'>): number {
  if (stoppedBy !== null) return EXIT_STOPPED;
  switch (verdict) {
    case 'checked':
      return 0;
    case 'unchecked':
    case 'partial':
      return 3;
    case 'aborted':
      return 4;
    case 'failed':
    case null:
      return 1;
    default:
      return assertNever(verdict);
  }
}

/** Adds the line counts of changed files to a report for people; a program gets the RESPONSE without this wait. */
export async function endingOf(call: Call, client: NodeClient, report: OrderReport): Promise<Ending> {
  const isShown = !call.flags.json && report.changed.length > 0 && isRecorded(report);
  const diff = isShown ? await client.diffWork({ task: report.task.id }) : null;
  return { report, stat: diff === null || isRefusal(diff) ? [] : statOf(diff), folderFlag: folderFlagOf(call) };
}

/** Named from the workspace, as the report names them. */
function statOf({ files, inside }: DiffAnswer): DiffAnswer['files'] {
  return files.map((file) => ({ ...file, path: pathBelow(inside, file.path) }));
}
