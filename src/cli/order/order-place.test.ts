import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AskedWork,
  NOT_ASKED,
  nextPlace,
  type OrderPlace,
  type PlaceAction,
  type PlaceEvent,
} from './order-place.ts';

const TASK: AskedWork = { work: { task: 'task-1' }, types: null };
const SESSION: AskedWork = { work: { session: 'ses-1' }, types: 'session.reported' };
const asked: PlaceEvent = { kind: 'asked', asked: TASK };
const connected: PlaceEvent = { kind: 'connected' };
const killed: PlaceEvent = { kind: 'node-gone', wasToldToStop: false };
const stopped: PlaceEvent = { kind: 'node-gone', wasToldToStop: true };
const served: PlaceEvent = { kind: 'served' };

const WAYS: readonly (readonly [string, readonly PlaceEvent[], OrderPlace, PlaceAction])[] = [
  ['a node elsewhere is asked', [asked], { kind: 'elsewhere', asked: TASK }, 'carry'],
  [
    'the last request counts',
    [asked, { kind: 'asked', asked: SESSION }],
    { kind: 'elsewhere', asked: SESSION },
    'carry',
  ],
  [
    'a node that takes the place of the first is asked again',
    [asked, connected],
    { kind: 'elsewhere', asked: TASK },
    'carry',
  ],
  ['a node of which nothing was asked is left alone', [connected], NOT_ASKED, 'none'],
  [
    'this process takes the place of a node that was killed',
    [asked, killed],
    { kind: 'taking-over', asked: TASK },
    'serve',
  ],
  ['it is the node once it serves', [asked, killed, served], { kind: 'here', asked: TASK }, 'none'],
  [
    'it runs the work that the first node left',
    [asked, killed, served, connected],
    { kind: 'here', asked: TASK },
    'carry',
  ],
  [
    'it does not take the place of a node that was told to stop',
    [asked, stopped],
    { kind: 'stopped', asked: TASK },
    'give-up',
  ],
  ['a node that stopped before it was asked is replaced', [stopped], { kind: 'taking-over', asked: null }, 'serve'],
  ['what is asked of this process stays here', [killed, served, asked], { kind: 'here', asked: TASK }, 'carry'],
  ['a start that failed is tried again', [asked, killed, killed], { kind: 'taking-over', asked: TASK }, 'serve'],
];

for (const [name, events, place, action] of WAYS) {
  test(name, () => {
    let step: ReturnType<typeof nextPlace> = { place: NOT_ASKED, action: 'none' };
    for (const event of events) step = nextPlace(step.place, event);
    assert.deepEqual(step, { place, action });
  });
}
