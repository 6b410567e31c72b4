import { deliverNotice } from '../dispatch/notices/deliver-notice.ts';
import { Notifier } from '../dispatch/notices/notifier.ts';
import type { RunWorld } from '../dispatch/run-world.ts';

/** The part of a node that tells people what happened. */
export function notifierOf(world: RunWorld): Notifier {
  const { ledger, clock, timer, log } = world;
  return new Notifier({
    ...{ ledger, clock, timer, log },
    rules: () => world.settings().notices ?? [],
    deliver: (rule, notice, signal) => deliverNotice(world, { rule, notice, signal }),
  });
}
