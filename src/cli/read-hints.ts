import { PROTOCOL_NAMES } from '../protocols/codec.ts';
import { isProtocolName } from '../protocols/detect.ts';
import type { ReadHints } from '../protocols/read-message.ts';
import { loadCodec } from '../protocols/registry.ts';
import { type Call, flagText, UsageError } from './command.ts';

/** What --as and --kind say; refused where no protocol or kind is called so. */
export async function readHints(call: Call): Promise<ReadHints> {
  const as = flagText(call, 'as');
  const kind = flagText(call, 'kind');
  if (as !== undefined && !isProtocolName(as)) {
    throw new UsageError(
      `check: no protocol ${JSON.stringify(as)}`,
      `baton check --as ${PROTOCOL_NAMES.join('|')} FILE`,
    );
  }
  if (kind === undefined) return as === undefined ? {} : { as };
  const { protocol, kinds } = await loadCodec(as ?? 'aof');
  if (!kinds.includes(kind)) {
    throw new UsageError(`check: ${protocol} has no kind ${JSON.stringify(kind)}`, `--kind ${kinds.join('|')}`);
  }
  return { ...(as !== undefined && { as }), kind };
}
