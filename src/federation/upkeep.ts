import { restoreSkills } from './capabilities/distribute-skill.ts';
import { publishReviews, restoreReviews } from './capabilities/publish-reviews.ts';
import { installQueuedSkills } from './capabilities/receive-skill.ts';
import { restoreCapabilities } from './capabilities/write-capability.ts';
import type { Sender } from './outbox.ts';

type UpkeepParts = Parameters<typeof restoreSkills>[0] &
  Parameters<typeof installQueuedSkills>[0] &
  Parameters<typeof restoreCapabilities>[0] &
  Parameters<typeof publishReviews>[0];

/** With every tick: skills that others sent, and reviews that changed. */
export async function doQueued(parts: UpkeepParts, sender: Sender): Promise<void> {
  await installQueuedSkills(parts, sender);
  await publishReviews(parts);
}

/** With every heartbeat: the records of this node that the store may have lost without a word. */
export async function restoreRecords(parts: UpkeepParts): Promise<void> {
  await restoreCapabilities(parts);
  await restoreSkills(parts);
  await restoreReviews(parts);
}
