import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AgentDriver, Conversation } from '../../src/agents/agent-driver.ts';
import type { AgentSignal } from '../../src/domain/agent/agent-signal.ts';
import { OPEN_CALLS_MAX } from '../../src/domain/limits.ts';
import { AGENT_DRIVERS } from '../../src/node/agents/agent-drivers.ts';
import { aLaunch, fixtureAgent } from '../support/agent/a-launch.ts';

/** Lines of one vendor: an event that it has in another form, and a tool call that begins and one that ends. */
interface Dialect {
  readonly changed: object | null;
  readonly begins: ((id: string) => object) | null;
  /** Lines before any event counts. */
  readonly before: readonly object[];
  /** The version that a warning names. */
  readonly version: string;
  /** An event of a type that no version has. */
  readonly unknown: object;
}

const acp = (update: object) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });
const PLAIN = { changed: null, begins: null, before: [], version: '7.8.9', unknown: { type: 'no-such-type', a: 1 } };

const DIALECTS: Readonly<Record<AgentDriver['name'], Dialect>> = {
  claude: {
    ...PLAIN,
    before: [{ type: 'system', subtype: 'init', session_id: 's', claude_code_version: '7.8.9' }],
    changed: { type: 'assistant', message: 5 },
    begins: (id) => ({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] } }),
  },
  codex: {
    ...PLAIN,
    changed: { type: 'item.completed', item: 'none' },
    begins: (id) => ({ type: 'item.started', item: { id, type: 'command_execution', command: 'ls' } }),
  },
  gemini: {
    ...PLAIN,
    changed: { type: 'tool_use', tool_name: 5 },
    begins: (id) => ({ type: 'tool_use', tool_id: id, tool_name: 'run_shell_command' }),
  },
  opencode: { ...PLAIN, changed: { type: 'text', part: null } },
  acp: {
    ...PLAIN,
    before: [{ jsonrpc: '2.0', id: 1, result: { agentInfo: { name: 'a', version: '7.8.9' } } }],
    changed: acp({ sessionUpdate: 'tool_call', toolCallId: 5 }),
    begins: (id) => acp({ sessionUpdate: 'tool_call', toolCallId: id, title: 'run' }),
    unknown: acp({ sessionUpdate: 'no-such-type' }),
  },
  process: PLAIN,
  demo: PLAIN,
};

const line = (text: string, stream: 'stdout' | 'stderr' = 'stdout', isTruncated = false) =>
  ({ kind: 'line', line: { stream, text, isTruncated } }) as const;

function begin(driver: AgentDriver): Conversation {
  const { version, before } = DIALECTS[driver.name];
  const agent = { ...fixtureAgent('completes'), driver: driver.name, version };
  const talk = driver.converse(aLaunch({ agent }));
  for (const event of before) talk.hear(line(JSON.stringify(event)));
  return talk;
}

/** Whatever was held back for further lines is told at the end. */
function tell(driver: AgentDriver, ...events: object[]): readonly AgentSignal[] {
  const talk = begin(driver);
  const heard = events.flatMap((event) => talk.hear(line(JSON.stringify(event))).signals);
  return [...heard, ...talk.end()];
}

/** Any JSON, and events of the vendor with any field replaced. */
function lines({ changed, begins, unknown }: Dialect) {
  const known = [changed, begins?.('t') ?? null, unknown].filter((each) => each !== null);
  const broken = fc.tuple(fc.constantFrom(...known), fc.jsonValue()).map(([event, value]) => {
    const keys = Object.keys(event);
    return JSON.stringify({ ...event, [keys.at(-1) ?? 'a']: value });
  });
  return fc.oneof(fc.string(), fc.json(), broken, fc.constantFrom('{', '{}', '[]', '{"type":null}', '\u0000', ''));
}

const TOLD = fc.constantFrom(
  { kind: 'words', text: 'faster' } as const,
  { kind: 'answer', question: 'q', option: 'yes' } as const,
  { kind: 'interrupt' } as const,
);

for (const driver of AGENT_DRIVERS) {
  const dialect = DIALECTS[driver.name];
  describe(`the conversation of the ${driver.name} driver`, () => {
    test('whatever is printed and told, nothing throws, every line is a sign of life, and the end comes once', () => {
      const stream = fc.constantFrom('stdout' as const, 'stderr' as const);
      const heard = fc.oneof(
        { weight: 8, arbitrary: fc.tuple(lines(dialect), stream, fc.boolean()).map((of) => line(...of)) },
        { weight: 1, arbitrary: TOLD },
      );
      fc.assert(
        fc.property(fc.array(heard, { maxLength: 30 }), (all) => {
          const talk = begin(driver);
          for (const each of all) {
            const { signals } = talk.hear(each);
            if (each.kind === 'line') assert.ok(signals.length > 0, each.line.text);
          }
          talk.end();
          assert.deepEqual(talk.end(), []);
        }),
        { numRuns: 300 },
      );
    });

    test('an event of an unknown type is kept as output', () => {
      const signals = tell(driver, dialect.unknown).filter(({ kind }) => kind !== 'beat');
      assert.deepEqual(signals, [{ kind: 'output', stream: 'stdout', text: JSON.stringify(dialect.unknown) }]);
    });

    const { changed, begins } = dialect;
    if (changed !== null)
      test('an event in another form is a warning with the version, and kept as output', () => {
        const [warning, output] = tell(driver, changed);
        assert.equal(warning?.kind, 'unexpected');
        assert.match(warning?.kind === 'unexpected' ? warning.message : '', / 7\.8\.9 sent .* Baton does not know$/);
        assert.deepEqual(output, { kind: 'output', stream: 'stdout', text: JSON.stringify(changed) });
      });

    if (begins !== null)
      test('tool calls that never end are told in order and do not fill the memory', () => {
        const talk = begin(driver);
        const ids = Array.from({ length: OPEN_CALLS_MAX * 3 }, (_, at) => `t${at}`);
        const told = ids.flatMap((id) => talk.hear(line(JSON.stringify(begins(id)))).signals);
        const begun = told.filter(({ kind }) => kind === 'tool') as Extract<AgentSignal, { readonly kind: 'tool' }>[];
        assert.deepEqual(
          begun.map(({ id }) => id),
          ids,
        );
      });
  });
}
