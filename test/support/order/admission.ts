import assert from 'node:assert/strict';
import type { KnownAgent } from '../../../src/domain/agent/choose-agent.ts';
import { refuseNeeds } from '../../../src/domain/order/admit-bounds.ts';
import { type AdmissionFacts, admitOrder } from '../../../src/domain/order/admit-order.ts';
import { pathsOf } from '../../../src/domain/order/admit-paths.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts';
import type { Place } from '../../../src/domain/work/place.ts';
import { anOrder } from './an-order.ts';

const EMMA: KnownAgent = {
  name: 'emma',
  driver: 'codex',
  provider: 'CODEX',
  model: 'gpt',
  hasRemoteModel: true,
  versionsRead: null,
};

export const LOCAL: KnownAgent = {
  ...EMMA,
  name: 'tester',
  driver: 'process',
  provider: 'OTHER',
  model: 't',
  hasRemoteModel: false,
};

const DEMO: KnownAgent = { ...LOCAL, name: 'demo', driver: 'demo', provider: 'LOCAL', model: 'demo' };

export const folder = (realPath: string): Place => ({ kind: 'there', realPath, what: 'folder' });

export const file = (realPath: string): Place => ({ kind: 'there', realPath, what: 'file' });

/** The disk of these tests; every other path is missing. */
const DISK: Readonly<Record<string, Place>> = {
  '/ws': folder('/ws'),
  '/ws/src': folder('/ws/src'),
  '/ws/src/a.ts': file('/ws/src/a.ts'),
  '/ws/link-out': file('/etc/passwd'),
  '/ws/snap-out': { kind: 'missing', realPath: '/etc/cron.d/x' },
  '/ws/fifo': { kind: 'there', realPath: '/ws/fifo', what: 'other' },
  '/ws/loop': { kind: 'unreadable', reason: 'its links lead round' },
  '/ws/.aop_snapshots/taken': folder('/ws/.aop_snapshots/taken'),
  '/ws/.baton': folder('/ws/.baton'),
  '/etc': folder('/etc'),
  '/etc/passwd': file('/etc/passwd'),
  'src/a.ts': file('/ws/src/a.ts'),
  'C:/ws': { kind: 'other-system' },
};

function facts(order: Order, some: Partial<AdmissionFacts> = {}): AdmissionFacts {
  const places = new Map(pathsOf(order).map((path) => [path, DISK[path] ?? missing(path)]));
  return {
    agents: [EMMA, LOCAL, DEMO],
    unready: [{ name: 'zed', missing: 'zed-agent was not found (ENOENT)' }],
    places,
    dataFolder: '/ws/.baton',
    homes: [],
    allowed: ['/'],
    sandbox: { kind: 'there', name: 'bubblewrap' },
    depth: 0,
    warnings: [],
    ...some,
  };
}

export function missing(path: string): Place {
  return { kind: 'missing', realPath: path.startsWith('/') ? path : `/ws/${path}` };
}

export function admit(some: Partial<Order>, more: Partial<AdmissionFacts> = {}) {
  const order = anOrder(some);
  const found = admitOrder(order, facts(order, more));
  return isRefusal(found) ? found : (refuseNeeds(order, found.needs) ?? found.admitted);
}

/** The code and the field of a refusal; the name of the agent where it is admitted. */
export function answer(some: Partial<Order>, more: Partial<AdmissionFacts> = {}): string {
  const found = admit(some, more);
  return isRefusal(found) ? refusalText(found) : `admitted ${found.agent}`;
}

/** A field as its kind, its indexes and its part. */
export function refusalText({ code, path, field }: Refusal): string {
  assert.equal(path, '', 'the kernel knows no message');
  return [code, ...Object.values(field ?? {})].join(' ');
}

export const access = (some: Partial<Order['access']>): Partial<Order> => ({
  access: { ...anOrder().access, ...some },
});
