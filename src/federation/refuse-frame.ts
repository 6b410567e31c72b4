import { OPERATOR } from '../domain/task/decide-sender.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectOpenIncident } from '../ledger/statements/incidents.ts';
import type { Tx } from '../ledger/tx.ts';
import { readJson } from '../protocols/json-text.ts';
import { ENVELOPE_KINDS, type EnvelopeKind } from '../protocols/runtime/markers.ts';
import { type Acknowledgement, acknowledgeEvent } from './acknowledge.ts';
import { closeNodeIncident, openNodeIncident } from './nodes/federation-incident.ts';
import { NOT_AWAITED, type Sender } from './outbox.ts';
import type { Frame } from './transport.ts';

const REFUSED = 'refused_frame';

/** Nothing of a frame that is wrong is used; the first one of a node opens an incident. */
export function refuseFrame(tx: Tx, { source, seq }: Pick<Frame, 'source' | 'seq'>, reason: string): void {
  const payload = { node: source, seq, reason };
  insertEvent(tx, { type: 'federation.frame_refused', actor: source, taskId: null, payload });
  const kind = `${REFUSED}:${source}`;
  if (selectOpenIncident(tx, kind) !== null) return;
  openNodeIncident(tx, { kind, detail: `event ${seq} of node ${source} was refused: ${reason}` }, source);
}

/** A node that is removed or trusted by a person needs no attention any more. */
export function closeRefused(tx: Tx, source: string): void {
  const kind = `${REFUSED}:${source}`;
  closeNodeIncident(tx, { id: selectOpenIncident(tx, kind), kind }, OPERATOR);
}

/** The same for a genuine frame whose envelope is wrong: its sender is told that the event is refused for good, and sends it no more. */
export function refuseEnvelope(tx: Tx, sender: Sender, { frame, reason }: { frame: Frame; reason: string }): void {
  refuseFrame(tx, frame, reason);
  const envelope = headOf(frame);
  if (envelope !== null) acknowledgeEvent(tx, sender, { envelope, agent: sender.nodeId, type: 'failed_terminal' });
}

const ID_CHARACTERS_MAX = 128;

/** The parts of a wrong envelope by which its sender recognizes the event; null where it has none, or waits for no answer. */
function headOf({ envelope, source }: Frame): Acknowledgement['envelope'] | null {
  const { value } = readJson(envelope);
  if (!isJsonObject(value)) return null;
  const idAt = (field: string) => {
    const id = value[field];
    return typeof id === 'string' && id !== '' && id.length <= ID_CHARACTERS_MAX ? id : null;
  };
  const eventId = idAt('eventId');
  // A kind that nobody knows is a signal: acknowledgements name one of the ten.
  const kind = ENVELOPE_KINDS.find((each) => each === value.kind) ?? ('signal' satisfies EnvelopeKind);
  if (eventId === null || NOT_AWAITED.has(kind)) return null;
  const corrId = idAt('corrId') ?? eventId;
  return { eventId, kind, corrId, sourceNodeId: source, sourceAgentId: idAt('sourceAgentId') ?? source };
}
