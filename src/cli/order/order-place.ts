import { assertNever } from '../../domain/assert-never.ts';

/** The task, session or feedback that a node runs for this command. */
export type RequestedWork = { readonly task: string } | { readonly session: string } | { readonly feedback: string };

/** Work that a command asked a node for, and the events that end its pauses; null: all of them. */
export interface AskedWork {
  readonly work: RequestedWork;
  readonly types: string | null;
}

/** The process that runs the work of a command. */
export type OrderPlace =
  /** Another process is the node, and nothing was asked of it yet. */
  | { readonly kind: 'idle'; readonly asked: null }
  /** Another process is the node that was asked. */
  | { readonly kind: 'elsewhere'; readonly asked: AskedWork }
  /** The other process is gone, and this one becomes the node. */
  | { readonly kind: 'taking-over'; readonly asked: AskedWork | null }
  /** This process is the node. */
  | { readonly kind: 'here'; readonly asked: AskedWork | null }
  /** The node that was asked was told to stop, so this process does not take its place. */
  | { readonly kind: 'stopped'; readonly asked: AskedWork };

export type PlaceEvent =
  | { readonly kind: 'asked'; readonly asked: AskedWork }
  /** The client is connected to another node than before. */
  | { readonly kind: 'connected' }
  /** No process is the node any more. */
  | { readonly kind: 'node-gone'; readonly wasToldToStop: boolean }
  | { readonly kind: 'served' };

/** The action that an event leads to; `carry`: the node is to run the work, and its events end pauses. */
export type PlaceAction = 'none' | 'carry' | 'serve' | 'give-up';

interface PlaceStep {
  readonly place: OrderPlace;
  readonly action: PlaceAction;
}

export const NOT_ASKED: OrderPlace = { kind: 'idle', asked: null };

export function nextPlace(place: OrderPlace, event: PlaceEvent): PlaceStep {
  switch (event.kind) {
    case 'asked':
      return { place: placeOfAsked(place, event.asked), action: 'carry' };
    case 'connected':
      return { place, action: place.asked === null ? 'none' : 'carry' };
    case 'node-gone': {
      const { asked } = place;
      if (asked !== null && event.wasToldToStop) return { place: { kind: 'stopped', asked }, action: 'give-up' };
      return { place: { kind: 'taking-over', asked }, action: 'serve' };
    }
    case 'served':
      return { place: { kind: 'here', asked: place.asked }, action: 'none' };
    default:
      return assertNever(event);
  }
}

function placeOfAsked(place: OrderPlace, asked: AskedWork): OrderPlace {
  return place.kind === 'idle' ? { kind: 'elsewhere', asked } : { ...place, asked };
}
