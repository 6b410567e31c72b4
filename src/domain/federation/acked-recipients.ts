import { splitAddress } from './choose-recipients.ts';

/**
 * The recipients of an event on one node that an acknowledgement of this node is for. A gateway may write the agent with its node, without
 * it, or name itself: the event and the node decide, and the name narrows it down where it fits one of several.
 */
export function ackedRecipients(recipients: readonly string[], ackedBy: string | null): readonly string[] {
  if (ackedBy === null) return recipients;
  const [name] = splitAddress(ackedBy);
  const named = recipients.filter((recipient) => splitAddress(recipient)[0] === name);
  return named.length > 0 ? named : recipients;
}
