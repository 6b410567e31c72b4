import type { UsedCapability } from '../../domain/federation/capability-review.ts';
import type { ReceiverAnswer } from '../../domain/remote/receiver-answer.ts';
import { withinTime } from '../../platform/within-time.ts';
import { schemaViolations } from '../../protocols/registered-schemas.ts';
import { KEYS, readRecord } from '../records.ts';
import type { Transport } from '../transport.ts';

/** A schema of another node may take for ever on a value of yet another. */
const JUDGE_MS_MAX = 1_000;
const VIOLATIONS_MAX = 10;

/** Sentences about the result of a task that break the contracts of the capabilities that it needed (runtime:contracts). */
export async function contractViolations(
  transport: Pick<Transport, 'get'>,
  capabilities: readonly UsedCapability[],
  answer: ReceiverAnswer,
): Promise<readonly { readonly capability: UsedCapability; readonly violation: string }[]> {
  const found: { readonly capability: UsedCapability; readonly violation: string }[] = [];
  for (const capability of capabilities) {
    const entry = await transport.get(KEYS.contract(capability.capabilityId));
    const { schema } = readRecord(entry?.value ?? '');
    if (schema === undefined) continue;
    for (const violation of violationsOf(schema, answer)) found.push({ capability, violation });
  }
  return found.slice(0, VIOLATIONS_MAX);
}

function violationsOf(schema: unknown, answer: ReceiverAnswer): readonly string[] {
  if (answer.output === undefined) {
    return [answer.resultRef === null ? 'it names no result' : `${answer.resultRef} did not come along`];
  }
  try {
    const judged = withinTime(() => schemaViolations(answer.output, schema), JUDGE_MS_MAX);
    return judged?.value ?? ['its result could not be judged in time'];
  } catch (error) {
    return [`its contract cannot be used: ${(error as Error).message.split('\n', 1)[0]}`];
  }
}
