import type { NodeClient } from '../../api/node-client.ts';
import type { DiffAnswer, OrderReport } from '../../api/order-contract.ts';
import { jsonLine } from '../../domain/json-line.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { wallMs } from '../../platform/terminal.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { type Look, lookOf } from '../output/look.ts';
import { isRecorded } from '../output/next-steps.ts';
import { printAside, refusalValue } from '../output/print.ts';
import type { Ending } from '../output/report-text.ts';
import { type RunUpdate, runText } from '../output/run-text.ts';

/** With --events stdout is for programs, as with --json; people read everything on stderr. */
export function showUpdates(call: Call, all: AsyncGenerator<RunUpdate>): Pick<Answer<unknown>, 'values' | 'human'> {
  const text = (seen: RunUpdate, look: Look) => runText(seen, { ...look, nowMs: wallMs() });
  if (call.flags.json) return { values: dataOf(all), human: () => null };
  if (!call.flags.events) return { values: all, human: (seen, look) => text(seen as RunUpdate, look) };
  const look = lookOf(call);
  async function* aside(): AsyncGenerator<RunUpdate> {
    for await (const seen of all) {
      if (seen.kind !== 'message') printAside(text(seen, look));
      yield seen;
    }
  }
  return { values: dataOf(aside()), human: (value) => jsonLine(value) };
}

/** Only AOP messages are data: the events if requested, and the RESPONSE. */
async function* dataOf(all: AsyncGenerator<RunUpdate>): AsyncGenerator<unknown> {
  for await (const seen of all) {
    if (seen.kind === 'message') yield seen.message;
    if (seen.kind === 'left-waiting') yield seen.value;
    if (seen.kind === 'report' || seen.kind === 'refusal') yield lastValue(seen);
  }
}

function lastValue(update: Extract<RunUpdate, { readonly kind: 'report' | 'refusal' }>): unknown {
  return update.kind === 'report' ? update.report.response : refusalValue(update.refusal, update.refusal.code);
}

/** Adds the line counts of changed files to a report for people; a program gets the RESPONSE without this wait. */
export async function endingOf(call: Call, client: NodeClient, report: OrderReport): Promise<Ending> {
  const isShown = !call.flags.json && report.changed.length > 0 && isRecorded(report);
  const diff = isShown ? await client.diffWork({ task: report.task.id }) : null;
  return { report, stat: diff === null || isRefusal(diff) ? [] : statOf(diff), folderFlag: folderFlagOf(call) };
}

/** Named from the workspace, as the report names them. */
function statOf({ files, inside }: DiffAnswer): DiffAnswer['files'] {
  if (inside === '') return files;
  return files.map((file) =>
    file.path.startsWith(`${inside}/`) ? { ...file, path: file.path.slice(inside.length + 1) } : file,
  );
}
