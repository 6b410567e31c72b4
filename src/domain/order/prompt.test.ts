import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  collected,
  ended,
  executionOf,
  FINISHED,
  failedBy,
  launched,
  leased,
  requeued,
  result,
  verified,
} from '../../../test/support/run/an-execution.ts';
import type { Fact } from '../execution/fact.ts';
import { PROMPT_OUTPUT_CHARACTERS_MAX } from '../limits.ts';
import type { Order } from './order.ts';
import { type Continuation, promptOf } from './prompt.ts';

function words(order: Order, ...facts: Fact[]): string {
  const { attempts } = executionOf(order, facts);
  return promptOf({ order, message: {}, orderedAt: 0, attempts }).words;
}

const INPUT = { type: 'FILE', path: null, url: null, description: '', content: '', isReadOnly: true };
const FILE = { type: 'FILE', path: 'a.ts', description: 'the code', validation: null, snapshot: null };

test('an order in plain words is its objective', () => {
  assert.equal(words(anOrder({ objective: 'Fix the login.' }), leased('r1')), 'Fix the login.\n');
});

test('inputs, outputs, phases with their checkpoints and checks each have a section', () => {
  const validation = { command: 'npm test', expects: 'exit-code-0' } as const;
  const checkpoint = {
    id: 'c1',
    description: 'it compiles',
    artifacts: [FILE],
    validation,
    onFailure: 'retry',
  } as const;
  const order = anOrder({
    objective: 'Build it.',
    inputs: [
      { ...INPUT, path: 'spec.md' },
      { ...INPUT, path: 'notes.md', description: 'what we know', isReadOnly: false },
      { ...INPUT, type: 'URL', url: 'https://example.com/api' },
      { ...INPUT, type: 'TEXT', description: 'the report', content: 'It fails.\n## Often\n' },
    ],
    outputs: [FILE, { ...FILE, type: 'REPORT', path: null, description: 'a summary', validation }],
    phases: [{ id: 'p1', position: 0, label: 'Code', objective: 'Write it.', checkpoints: [checkpoint] }],
    checks: ['npm test', 'npm run lint'],
  });
  assert.equal(
    words(order, leased('r1')),
    `Build it.

## Inputs

- FILE: spec.md (read only)
- FILE: notes.md: what we know
- URL: https://example.com/api
- TEXT: the report

      It fails.
      ## Often


## Expected outputs

- FILE: a.ts: the code
- REPORT: a summary (checked by \`npm test\`: it must exit with 0)

## Phases

### 1. Code

Write it.

- Checkpoint c1: it compiles (checked by \`npm test\`: it must exit with 0)
  - FILE: a.ts: the code

## Checks

These commands run when you are done, and must pass:

- \`npm test\`
- \`npm run lint\`
`,
  );
});

test('a later attempt reads what failed with the end of its output, what passed and what changed', () => {
  const tail = `${'.'.repeat(PROMPT_OUTPUT_CHARACTERS_MAX)}\n## not a heading\n`;
  const failed = result('npm test', { result: 'failed', message: 'npm test: exit 1', tail });
  const text = words(
    anOrder({ objective: 'Fix it.' }),
    leased('r1'),
    ended('r1', FINISHED),
    collected('r1', { changed: [{ path: 'a.ts', status: 'updated', sha256: null, sizeBytes: null }] }),
    verified('r1', [result('tsc'), failed]),
    requeued(),
    leased('r2'),
  );
  const [head, output, ...rest] = text.split('\n\n').slice(1);
  assert.equal(head, '## The attempt before this one');
  assert.equal(output, '- Failed: npm test: exit 1');
  assert.ok(rest[0]?.startsWith('      ...') && rest[0].endsWith('\n      ## not a heading'));
  assert.ok((rest[0]?.length ?? 0) < PROMPT_OUTPUT_CHARACTERS_MAX + 40);
  assert.equal(rest[1], '- Passed: tsc\n- updated: a.ts\n');
});

test('an attempt that failed is described by its code, and a lost one by the attempt before it', () => {
  const facts = [
    leased('r1'),
    ended('r1', failedBy('timeout')),
    requeued(),
    leased('r2'),
    ended('r2', { kind: 'lost' }),
    requeued(),
    leased('r3'),
  ];
  assert.match(words(anOrder(), ...facts), /It failed with E_TIMEOUT: /);
});

const FAILED = result('npm test', { result: 'failed', message: 'npm test: exit 1', tail: 'not ok 3' });
const TRIED = [leased('r1'), ended('r1', FINISHED), collected('r1'), verified('r1', [FAILED]), requeued()];

function continuation(some: Partial<Continuation>, ...facts: Fact[]): string {
  const order = anOrder({ objective: 'Fix it.', checks: ['npm test'] });
  const { attempts } = executionOf(order, facts);
  const none = { earlier: [], isResumed: false, soFar: null, words: [], isTakenBack: false };
  return promptOf({ order, message: {}, orderedAt: 0, attempts, continuation: { ...none, ...some } }).words;
}

test('an agent in its own session is told what failed, and not the order again', () => {
  assert.equal(
    continuation({ isResumed: true }, ...TRIED, leased('r2')),
    `The task is not done yet. Continue from where you are, and finish it.

## Your last attempt

- Failed: npm test: exit 1

      not ok 3


## Checks

These commands run when you are done, and must pass:

- \`npm test\`
`,
  );
});

test('a person says what is to be done instead, and the agent learns that its work was taken back', () => {
  const text = continuation({ isResumed: true, words: ['Use a clock.'], isTakenBack: true }, ...TRIED, leased('r2'));
  assert.match(text, /^Use a clock\.\n\n## Your last attempt\n\nChanges of that work were taken back since/);
});

test('another agent gets the order and the packet, and after them the words of a person', () => {
  const soFar = { diff: '+one', isCut: false };
  const other = leased('r2', { agent: 'nina', alternative: 0 });
  const text = continuation({ soFar, words: ['Mind the clock.'] }, ...TRIED, other);
  assert.match(text, /^Fix it\.\n\n## Checks\n[^#]*## Handed over to you\n\nemma worked on this before you/);
  assert.match(text, /- Failed: npm test: exit 1[^#]*\| \+one[^#]*## What to do now\n\nMind the clock\.\n$/);
});

test('an attempt whose session the vendor did not take up again is not told of', () => {
  const refused = [launched('r2', { resumed: 's-1' }), ended('r2', failedBy('process-crashed')), requeued()];
  const text = continuation({}, ...TRIED, leased('r2'), ...refused, leased('r3'));
  assert.doesNotMatch(text, /E_PROCESS_CRASH/);
  assert.match(text, /## The attempt before this one\n\n- Failed: npm test/);
});
