import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROTOCOL_NAMES, type ProtocolName } from './codec.ts';
import { detectProtocol, hasMarker, isProtocolName } from './detect.ts';

const MARKED: [value: unknown, protocol: ProtocolName | null][] = [
  [{ aop_version: '2.0.2-C' }, 'aop'],
  [{ aop_version: '2.' }, 'aop'],
  [{ aop_version: '1.9' }, null],
  [{ aop_version: '20' }, null],
  [{ aop_version: 2 }, null],
  [{ aop_version: ['2.0'] }, null],
  [{ protocol: 'aof' }, 'aof'],
  [{ protocol: 'AOF' }, null],
  [{ artifact: null }, 'afp'],
  [{ applied_feedback: 1 }, 'afp'],
  [{ protocol_version: '1.2', iteration: 1 }, 'afp'],
  [{ protocol_version: '1.2' }, null],
  [{ iteration: 1 }, null],
  [{ type: 'text', sessionID: 'a' }, 'afp'],
  [{ type: 'text' }, null],
  [{ turn_index: 'x' }, 'saop'],
  [{ event_id: 1, payload: 1 }, 'saop'],
  [{ event_id: 1 }, null],
  [{ seq: 1, kind: 'x' }, 'runtime'],
  [{ seq: 1 }, null],
  [{ eventId: null }, 'runtime'],
  [{ capabilityId: 1 }, 'runtime'],
  [{ consumerNodeId: 1 }, 'runtime'],
  [{ reviewId: 1 }, 'runtime'],
  [{}, null],
  [[{ aop_version: '2.0' }], null],
  ['aop_version', null],
  [null, null],
];

describe('common:markers: what makes a message one of a protocol', () => {
  for (const [value, protocol] of MARKED) {
    it(`${JSON.stringify(value)} is of ${protocol ?? 'none'}`, () => assert.equal(detectProtocol(value), protocol));
  }

  it('of several markers the first protocol in the order aop, aof, afp, saop, runtime counts', () => {
    const value: Record<string, unknown> = {
      aop_version: '2.0',
      protocol: 'aof',
      artifact: 1,
      turn_index: 1,
      eventId: 1,
    };
    for (const [marker, protocol] of [
      ['aop_version', 'aop'],
      ['protocol', 'aof'],
      ['artifact', 'afp'],
      ['turn_index', 'saop'],
      ['eventId', 'runtime'],
    ] as const) {
      assert.equal(detectProtocol(value), protocol);
      assert.equal(PROTOCOL_NAMES.filter((name) => hasMarker(name, value)).includes(protocol), true);
      delete value[marker];
    }
  });

  it('names are those five', () => {
    assert.deepEqual(['aop', 'runtime', 'AOP', '', '__proto__'].map(isProtocolName), [true, true, false, false, false]);
  });
});
