import { WORK_MIB_DEFAULT } from '../../domain/federation/federation-limits.ts';
import { MIB } from '../../domain/limits.ts';
import type { TraceMessage } from '../../domain/trace/trace.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import { decodeSaop } from '../../protocols/saop/decode.ts';
import { readTraceMessage } from '../../protocols/saop/trace-message.ts';
import type { Parcels } from '../../remote/parcels.ts';
import { loadFederation } from './federation-settings.ts';

/** Work that travels between nodes, behind an import of its own: most nodes and most commands need none of it. */
export async function loadParcels(world: OrderWorld): Promise<Parcels> {
  const { openParcels } = await import('../../remote/open-parcels.ts');
  return openParcels(world, {
    bytesMax: () => loadFederation(world.dataFolder)?.workBytesMax ?? WORK_MIB_DEFAULT * MIB,
    readJson: readJsonText,
    readTrace,
  });
}

function readTrace(text: string, eventTypes: Readonly<Record<string, unknown>>): TraceMessage | null {
  const decoded = decodeSaop(text, { eventTypes });
  return decoded.verdict === 'accepted' ? readTraceMessage(decoded.message, text) : null;
}
