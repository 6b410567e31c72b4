import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AfpResponse } from '../../src/protocols/afp/schema.ts';
import { type AfpStream, EMPTY_STREAM, readStreamLine } from '../../src/protocols/afp/stream.ts';
import { CliStage } from '../support/agent/cli-stage.ts';
import { CLAUDE, CODEX, GEMINI, GOOSE, noVendorCli, OPENCODE } from '../support/agent/vendor-cli.ts';
import { linesOf, runBaton } from '../support/run-baton.ts';

interface AfpRequest {
  readonly iteration: number;
  readonly content: string;
  readonly decisions?: readonly object[];
}

/** `baton afp` with a request, as another tool would call it: its exit code and its stream. */
async function ask(
  stage: CliStage,
  { iteration, content, decisions }: AfpRequest,
  ...flags: string[]
): Promise<StreamAnswer> {
  const request = {
    protocol_version: '1.2',
    iteration,
    artifact: { media_type: 'text/markdown', content },
    ...(decisions && { applied_feedback: { items: decisions } }),
  };
  const environment = { ...stage.variables };
  const call = { folder: stage.repository.root, environment, input: [JSON.stringify(request)] };
  const run = await runBaton(['afp', ...flags], call);
  const stream = run.stdout.split('\n').reduce(readStreamLine, EMPTY_STREAM);
  return { ...stream, exit: run.status, stderr: run.stderr };
}

interface StreamAnswer extends AfpStream {
  readonly exit: number | null;
  readonly stderr: string;
}

function answer(iteration: number, areas: readonly (readonly [id: string, about: string])[]): AfpResponse {
  return {
    protocol_version: '1.2',
    iteration,
    status: 'success',
    feedback: {
      confidence: { level: 'high', justification: 'It is short.' },
      positive_points: [],
      areas_for_improvement: areas.map(([id, about]) => ({
        id,
        aspect: about,
        description: `${about} is not said.`,
        recommendation: `Say ${about}.`,
      })),
      general_summary: `${areas.length} to do`,
    },
  };
}

const say = (text: string) => ({ do: 'say' as const, text });
const FIRST = answer(1, [['budget-missing', 'the budget of the plan']]);
const DECIDED = [{ id: 'budget-missing', status: 'rejected', reason_code: 'out_of_scope' }];

/** Some take half a minute to start: `npm run test:agents` has them. */
const isWhole = process.env.BATON_TEST_AGENTS === 'all';

for (const vendor of isWhole ? [CLAUDE, CODEX, OPENCODE, GEMINI, GOOSE] : [CLAUDE, CODEX]) {
  describe(`${vendor.name} as a provider of feedback`, { skip: noVendorCli(vendor.name) }, () => {
    test('answers in its own session over two processes, is asked again once, and keeps its ids', async () => {
      const stage = await CliStage.begin([vendor]);
      const fenced = `Here it is.\n\`\`\`json\n${JSON.stringify(FIRST, null, 2)}\n\`\`\`\n`;
      stage.model.follow([say(fenced)]);
      const first = await ask(stage, { iteration: 1, content: '# Plan' }, '--agent', vendor.name);
      assert.deepEqual([first.exit, first.response], [0, FIRST], first.stderr);
      const second = answer(2, [['no-budget-given', 'the budget of the plan']]);
      stage.model.follow([say('I think that it is fine.'), say(JSON.stringify(second))]);
      const flags = ['--session', first.sessionId ?? ''];
      const next = await ask(stage, { iteration: 2, content: '# Plan 2', decisions: DECIDED }, ...flags);
      assert.equal(next.exit, 0, next.stderr);
      const { feedback, applied_feedback_ack: ack } = next.response ?? assert.fail(next.stderr);
      assert.deepEqual(
        feedback?.areas_for_improvement.map(({ id }) => id),
        ['budget-missing'],
      );
      assert.deepEqual(ack, { items: [{ id: 'budget-missing', processing_status: 'acknowledged' }] });
      const last = stage.model.served.at(-1)?.text ?? '';
      for (const told of ['# Plan', '# Plan 2', 'out_of_scope', 'no Response Object']) assert.ok(last.includes(told));
      assert.deepEqual(stage.left().processes, []);
    });
  });
}

/** opencode with an agent that speaks AFP, as its own user calls it; Baton knows it as a program only. */
function addToolLayer(stage: CliStage): void {
  const settings = join(stage.home, '.config', 'opencode');
  mkdirSync(join(settings, 'agent'), { recursive: true });
  const prompt = 'Standard input is a Request Object of AFP 1.2. Answer with its Response Object.';
  writeFileSync(join(settings, 'agent', 'critic.md'), `---\nmode: primary\n---\n${prompt}\n`);
  const places = ['~/.local/share/opencode', '~/.local/state/opencode', '~/.cache/opencode', '~/.config/opencode'];
  const critic = {
    driver: 'process',
    command: ['opencode', 'run', '--agent', 'critic', '--format', 'json'],
    hosts: [new URL(stage.model.url).host],
    writes: places,
    provider: 'OTHER',
    model: 'scripted',
  };
  mkdirSync(join(stage.home, '.config', 'baton'), { recursive: true });
  writeFileSync(join(stage.home, '.config', 'baton', 'config.yaml'), JSON.stringify({ agents: { critic } }));
}

describe('opencode as a tool layer', { skip: isWhole ? noVendorCli('opencode') : 'npm run test:agents has it' }, () => {
  test('is driven by requests on its standard input, and by --session from the second one on', async () => {
    const stage = await CliStage.begin([OPENCODE]);
    addToolLayer(stage);
    stage.model.follow([say(JSON.stringify(FIRST))]);
    const first = await ask(stage, { iteration: 1, content: '# Plan' }, '--agent', 'critic');
    assert.deepEqual([first.exit, first.response], [0, FIRST], first.stderr);
    assert.ok(first.tokens.input > 0);
    stage.model.follow([say(JSON.stringify(answer(2, [])))]);
    const flags = ['--session', first.sessionId ?? ''];
    const next = await ask(stage, { iteration: 2, content: '# Plan 2', decisions: DECIDED }, ...flags);
    assert.equal(next.exit, 0, next.stderr);
    const told = stage.model.served.at(-1)?.text ?? '';
    assert.ok(told.includes('# Plan 2') && told.includes('budget-missing') && told.includes('AFP 1.2'));
    assert.ok(!told.includes('sessionID'));
  });

  test('reviews in rounds for the requester, while claude deals with what it finds', async () => {
    const stage = await CliStage.begin([OPENCODE, CLAUDE]);
    addToolLayer(stage);
    stage.repository.write('plan.md', '# Plan\n');
    stage.repository.commit('a plan');
    stage.models
      .get('claude')
      ?.follow([
        { do: 'write', path: stage.path('plan.md'), content: '# Plan\n\nIt costs nothing.\n' },
        say(JSON.stringify({ applied_feedback: { items: [{ id: 'budget-missing', status: 'accepted' }] } })),
      ]);
    stage.model.follow([say(JSON.stringify(FIRST)), say(JSON.stringify(answer(2, [])))]);
    const flags = ['--from', 'critic', '--fix', 'claude', '--check', 'test -f plan.md', '--json'];
    const run = await stage.baton('feedback', 'plan.md', ...flags);
    assert.equal(run.status, 0, run.stdout + run.stderr);
    const last = linesOf<{ rounds: number; end: string; items: { id: string; fate: string }[] }>(run).at(-1);
    assert.deepEqual(
      [last?.rounds, last?.end, last?.items.map(({ id, fate }) => [id, fate])],
      [2, 'nothing-left', [['budget-missing', 'accepted']]],
    );
    const second = stage.model.served.at(-1)?.text ?? '';
    for (const told of ['It costs nothing.', 'budget-missing', '# Plan']) assert.ok(second.includes(told), told);
    assert.deepEqual(stage.left().processes, []);
  });
});
