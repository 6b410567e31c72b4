import type { NodeIncidentView, NodeStatusAnswer } from '../../../src/api/federation/federation-contract.ts';
import { dismissIncident } from '../../node/node-actions.ts';
import { type Action, ActionButton } from '../../parts/action.tsx';
import { askToRemove, askToTrust } from './trust-deeds.tsx';

interface ButtonsProps {
  readonly deeds: readonly Deed[];
  readonly action: Action;
  readonly refresh: () => void;
}

export function DeedButtons({ deeds, action, refresh }: ButtonsProps) {
  return (
    <>
      {deeds.map((deed, at) => (
        <ActionButton
          key={deed.word}
          action={action}
          kind={deed.kind}
          onPress={() => void deed.run().then(refresh)}
          {...(at < 2 && { hint: at === 0 ? 'a' : 'r' })}
        >
          {deed.word}
        </ActionButton>
      ))}
    </>
  );
}

export interface Deed {
  readonly word: string;
  readonly kind: 'main' | 'plain' | 'danger';
  run(): Promise<unknown>;
}

/** Trust or dismiss first, where that is possible. */
export function deedsOf(
  { id, node, actions }: NodeIncidentView,
  { peers }: NodeStatusAnswer,
  action: Action,
): readonly Deed[] {
  const peer = peers.find(({ nodeId }) => nodeId === node);
  const deeds: Deed[] = [];
  if (actions.includes('trust') && peer) {
    deeds.push({ word: 'Trust…', kind: 'main', run: () => askToTrust(peer, action) });
  }
  if (actions.includes('dismiss')) {
    deeds.push({ word: 'Dismiss', kind: 'plain', run: () => action.run(() => dismissIncident(id)) });
  }
  if (actions.includes('remove') && node !== null) {
    deeds.push({ word: 'Remove…', kind: 'danger', run: () => askToRemove(node, action) });
  }
  return deeds;
}
