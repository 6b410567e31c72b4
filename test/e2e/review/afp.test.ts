import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import { ackOf, EXAMPLES, idsOf, request, reviewer, Stage } from '../../support/review/afp-stage.ts';
import { linesOf } from '../../support/run-baton.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new Stage('node');
await stage.data.json('init');
stage.daemon = await TestDaemon.start(stage.data.path);
stage.configure();

describe('baton afp', { skip: noBubblewrap }, () => {
  test('answers in the three messages of the document, and keeps the session', async () => {
    const first = await stage.answered(request(1), '--agent', 'well');
    assert.match(first.session, /^ses_[0-9A-Z]{26}$/);
    const [start, text, finish] = first.lines;
    assert.deepEqual(
      [start, text, finish].map((line) => [Object.keys(line ?? {}), Object.keys(line?.part ?? {})]),
      [
        [
          ['type', 'timestamp', 'sessionID', 'part'],
          ['id', 'sessionID', 'messageID', 'type'],
        ],
        [
          ['type', 'timestamp', 'sessionID', 'part'],
          ['id', 'sessionID', 'messageID', 'type', 'text', 'time'],
        ],
        [
          ['type', 'timestamp', 'sessionID', 'part'],
          ['id', 'sessionID', 'messageID', 'type', 'cost', 'tokens'],
        ],
      ],
    );
    assert.deepEqual([finish?.part.cost, finish?.part.tokens], [0, { input: 0, output: 0 }]);
    assert.equal(new Set(first.lines.map(({ part }) => part.id)).size, 3);
    assert.equal(new Set(first.lines.map(({ part }) => part.messageID)).size, 1);
    assert.deepEqual(idsOf(first.response), ['finding-one-thing', 'finding-another-thing']);
    const decisions = [
      { id: 'never-given-01', status: 'partial', explanation: 'x' },
      { id: 'finding-one-thing', status: 'accepted' },
    ];
    const second = await stage.answered(request(2, '- another thing', decisions), '--session', first.session);
    assert.equal(second.session, first.session);
    assert.equal(second.response.iteration, 2);
    assert.deepEqual(ackOf(second.response), [
      ['never-given-01', 'unknown_id'],
      ['finding-one-thing', 'acknowledged'],
    ]);
    const late = [{ id: 'finding-one-thing', status: 'rejected', reason_code: 'late' }];
    const third = await stage.answered(request(3, 'nothing', late), '--session', first.session, '--agent', 'well');
    assert.deepEqual([idsOf(third.response), ackOf(third.response)], [[], [['finding-one-thing', 'acknowledged']]]);
    const seen = [first, second, third].flatMap(({ lines }) => lines.map(({ part }) => part.id));
    assert.equal(new Set(seen).size, 9);
    const events = linesOf<EventView>(await stage.data.run(['events', '--session', first.session, '--json']));
    assert.deepEqual(
      events.map(({ type, actor, payload }) => [type, actor, payload.iteration]),
      [1, 2, 3].flatMap((iteration) => [
        ['feedback.asked', 'operator', iteration],
        ['feedback.answered', 'well', iteration],
      ]),
    );
  });

  test('answers the requests of the document: 5.1 lacks its version, 5.3 needs its session', async () => {
    const example = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8');
    const lacking = await stage.answered(example('rejected/first-request.json'), '--agent', 'well');
    assert.deepEqual([lacking.response.iteration, lacking.response.error?.code], [1, 'INVALID_REQUEST']);
    assert.match(lacking.response.error?.message ?? '', /protocol_version: is required/);
    const first = { protocol_version: '1.2', ...JSON.parse(example('rejected/first-request.json')) };
    const { session } = await stage.answered(first, '--session', lacking.session, '--agent', 'well');
    assert.equal(session, lacking.session);
    const follow = await stage.answered(example('accepted/follow-up-request.json'), '--session', session);
    assert.deepEqual(
      ackOf(follow.response)?.map(([, status]) => status),
      ['unknown_id', 'unknown_id', 'unknown_id'],
    );
  });

  const GOOD: readonly (readonly [behaviour: string, says: string | null])[] = [
    ['pretty', null],
    ['chatty', null],
    ['stream', 'session null'],
    ['three-texts', 'second'],
    ['fenced', null],
    ['right-when-told', '[{"path":"/status"'],
    ['thousand-areas', null],
    ['ten-megabytes', 'xxxx'],
  ];

  for (const [behaviour, says] of GOOD) {
    test(`takes the answer of a provider that is ${behaviour}`, async () => {
      const { response } = await stage.called(request(1), { agent: behaviour });
      assert.equal(response.status, 'success');
      if (says !== null)
        assert.ok(response.feedback?.general_summary.startsWith(says), response.feedback?.general_summary);
      assert.equal(idsOf(response).length, behaviour === 'thousand-areas' ? 1_000 : 2);
    });
  }

  test('a provider that has answered and does not end holds nobody up; one that works on after tools has its time', async () => {
    const patient = { timeout_seconds: 60 };
    stage.configure({
      agents: Object.fromEntries(
        ['stays-after-stream', 'stays-after-object', 'answers-after-tools'].map((name) => [
          name,
          { ...reviewer(name), ...patient },
        ]),
      ),
    });
    const startedMs = performance.now();
    for (const agent of ['stays-after-stream', 'stays-after-object']) {
      const { response } = await stage.called(request(1), { agent });
      assert.deepEqual([response.status, idsOf(response).length], ['success', 2]);
    }
    assert.ok(performance.now() - startedMs < 40_000, 'it waited for the time of the agent');
    const late = await stage.called(request(1), { agent: 'answers-after-tools' });
    assert.equal(late.response.status, 'success');
  });

  const BAD: readonly (readonly [behaviour: string, code: string, says: RegExp])[] = [
    ['stops-after-step-start', 'INTERNAL_ERROR', /no Response Object/],
    ['no-text', 'INTERNAL_ERROR', /no Response Object/],
    ['says-nothing', 'INTERNAL_ERROR', /no Response Object/],
    ['error-line', 'INTERNAL_ERROR', /APIError: Too many requests/],
    ['prose', 'INTERNAL_ERROR', /no Response Object.*it printed: Here it is: \{/],
    ['wrong-iteration', 'INTERNAL_ERROR', /iteration: is 2, and the request has 1/],
    ['session-field', 'INTERNAL_ERROR', /session_id/],
    ['bad-ids', 'INTERNAL_ERROR', /areas_for_improvement.*id/],
    ['equal-ids', 'INTERNAL_ERROR', /one-and-the-same/],
    ['too-long', 'INTERNAL_ERROR', /a line is longer than 16 MiB/],
    ['dies', 'INTERNAL_ERROR', /ended with exit code 3/],
    ['explains', 'INTERNAL_ERROR', /ended with exit code 2 .*it printed: error: no key for the model: log in first$/],
    ['slow', 'INTERNAL_ERROR', /did not end within 1 s/],
    ['own-error', 'TOO_SHORT', /nothing to review/],
  ];

  for (const [behaviour, code, says] of BAD) {
    test(`gives an error for a provider that is ${behaviour}, and its session goes on`, async () => {
      const decided = [{ id: 'never-given-01', status: 'accepted' }];
      const { response, session } = await stage.called(request(1, '- a', decided), { agent: behaviour });
      assert.deepEqual([response.status, response.error?.code, response.iteration], ['error', code, 1]);
      assert.match(response.error?.message ?? '', says);
      assert.deepEqual(ackOf(response), [['never-given-01', 'unknown_id']]);
      const next = behaviour === 'slow' ? null : await stage.called(request(2), { session });
      assert.notEqual(next?.response.error?.code, 'INVALID_REQUEST');
    });
  }

  test('passes the session of another tool layer on, and refuses an answer for another one', async () => {
    const first = await stage.answered(request(1), '--agent', 'stream');
    stage.configure({ agents: { stream: reviewer('dies') }, budgets: { run_usd: 0.1 } });
    assert.deepEqual([first.lines[2]?.part.cost, first.lines[2]?.part.tokens], [0.25, { input: 100, output: 20 }]);
    const second = await stage.called(request(2, '- a', []), { session: first.session });
    assert.equal(second.response.feedback?.general_summary, 'session tool-session-1');
    const other = await stage.called(request(1), { agent: 'other-session' });
    const wrong = await stage.called(request(2, '- a', []), { session: other.session });
    assert.match(
      wrong.response.error?.message ?? '',
      /answered for session "somebody-else", and was asked in tool-session-1/,
    );
  });

  test('keeps the id of a finding that its provider renames, and tells the new name', async () => {
    const first = await stage.called(request(1), { agent: 'renames-ids' });
    assert.deepEqual(idsOf(first.response), ['run-1-number-0', 'run-1-number-1']);
    const content = '- something new about locks\n- another thing';
    const { response } = await stage.called(request(2, content, []), { session: first.session });
    const areas = response.feedback?.areas_for_improvement as unknown as Record<string, string>[];
    assert.deepEqual(
      areas.map((area) => [area.id, area['x-provider-id']]),
      [
        ['run-2-number-0', undefined],
        ['run-1-number-1', 'run-2-number-1'],
      ],
    );
  });

  test('writes the acknowledgement itself, whatever its provider says', async () => {
    const { session } = await stage.called(request(1), { agent: 'wrong-ack' });
    const items = [{ id: 'finding-one-thing', status: 'accepted' }];
    const second = await stage.called(request(2, '- a', items), { session });
    assert.deepEqual(ackOf(second.response), [['finding-one-thing', 'acknowledged']]);
    const third = await stage.answered(request(3), '--session', session);
    assert.equal(third.response.applied_feedback_ack, undefined);
    assert.match(third.stderr, /^warning: applied_feedback: /m);
  });

  test('hands the program the request itself, without any session field and without a task', async () => {
    const decided = [{ id: 'never-given-01', status: 'partial', reason_code: 'r', explanation: 'x', 'x-mine': 1 }];
    const plain = request(1, '- one thing', decided);
    const artifact = { ...plain.artifact, artifact_ref: 'sha256:1', 'x-lines': 1 };
    const asked = { ...plain, artifact, 'x-ask': 'Is it short?' };
    const { response, session } = await stage.called(asked, { agent: 'tells-its-request' });
    const told = JSON.parse(response.feedback?.general_summary ?? '');
    assert.deepEqual(told, { request: asked, session: null, env: session, task: null });
  });

  const WRONG: readonly (readonly [what: string, text: unknown, iteration: number, says: RegExp])[] = [
    ['no text', '', 0, /not a Request Object/],
    ['prose', 'please review', 0, /not a Request Object/],
    ['half a request', '{"protocol_version":"1.2","iteration":1,', 0, /./],
    ['a repeated key', '{"iteration":1,"iteration":1,"artifact":{}}', 1, /./],
    ['a list', [request(1)], 0, /not a Request Object/],
    ['another version', { ...request(1), protocol_version: '1.1' }, 1, /protocol_version/],
    ['iteration 0', { ...request(1), iteration: 0 }, 1, /iteration/],
    ['iteration 1.5', { ...request(1), iteration: 1.5 }, 1, /iteration/],
    ['iteration 2 first', request(2), 2, /next iteration of this session is 1, not 2/],
    ['a session field', { ...request(1), sessionID: 'ses_1' }, 1, /sessionID/],
    ['an unknown field', { ...request(1), note: 1 }, 1, /note/],
    ['no content', { ...request(1), artifact: { media_type: 'text/plain' } }, 1, /artifact\.content/],
    ['an object as text', { ...request(1), artifact: { media_type: 'text/plain', content: {} } }, 1, /content/],
    ['no JSON as JSON', { ...request(1), artifact: { media_type: 'application/json', content: '{' } }, 1, /content/],
    [
      'a response',
      { protocol_version: '1.2', iteration: 1, status: 'error', error: { code: 'A', message: 'b' } },
      1,
      /./,
    ],
  ];

  test('answers a wrong request with INVALID_REQUEST, asks nobody, and uses up no iteration', async () => {
    let session = '';
    for (const [what, text, iteration, says] of WRONG) {
      const { response, ...answered } = await stage.called(text, session === '' ? { agent: 'dies' } : { session });
      assert.deepEqual([response.error?.code, response.iteration], ['INVALID_REQUEST', iteration], what);
      assert.match(response.error?.message ?? '', says, what);
      session = answered.session;
    }
    const bytes = [Uint8Array.of(0x7b, 0xff, 0x7d)];
    const run = await stage.data.run(['afp', '--session', session], { input: bytes });
    const [, text] = linesOf<{ part: { text: string } }>(run);
    const { iteration, error } = JSON.parse(text?.part.text ?? '{}');
    assert.deepEqual([run.status, iteration, error?.code], [1, 0, 'INVALID_REQUEST']);
    assert.match(run.stderr, /not UTF-8 text/);
    const events = await stage.data.run(['events', '--session', session, '--json']);
    assert.match(events.stdout, /there is no session/);
    const { response } = await stage.called(request(1), { session });
    assert.equal(response.error?.code, 'INTERNAL_ERROR');
  });

  test('refuses a media type that its agent does not list, and takes one that it does', async () => {
    const image = { ...request(1), artifact: { media_type: 'image/png', content: 'iVBORw0=' } };
    const { response } = await stage.called(image, { agent: 'well' });
    assert.deepEqual([response.error?.code, response.iteration], ['UNSUPPORTED_MEDIA_TYPE', 1]);
    stage.configure({ agents: { painter: { ...reviewer('well'), media_types: ['image/*'] } } });
    assert.equal((await stage.called(image, { agent: 'painter' })).response.status, 'success');
    const text = await stage.called(request(1), { agent: 'painter' });
    assert.equal(text.response.error?.code, 'UNSUPPORTED_MEDIA_TYPE');
    stage.configure();
  });

  test('is refused before anything runs for an unknown agent or session, or another agent', async () => {
    const { session } = await stage.called(request(1), { agent: 'well' });
    const REFUSED: readonly (readonly [flags: readonly string[], code: string, says: RegExp])[] = [
      [['--agent', 'wel'], 'E_AGENT_NOT_FOUND', /no agent "wel"\ntry: did you mean well\?/],
      [['--session', 'ses_0'], 'session_not_found', /no session ses_0/],
      [['--agent', 'pretty', '--session', session], 'invalid_argument', /a session with well, not with pretty/],
      [[], 'usage', /which agent is asked\?/],
      [['--agent', 'well', '--timeout', 'soon'], 'usage', /not a duration/],
    ];
    for (const [flags, code, says] of REFUSED) {
      const run = await stage.ask(request(2), ...flags, '--json');
      assert.deepEqual([run.status, linesOf<{ code: string }>(run)[0]?.code], [2, code]);
      assert.match(run.stderr, says);
    }
  });

  test('lets its provider read, and neither write nor reach anything', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    stage.configure({ agents: { spy: reviewer('writes-files', String(port)) } });
    const { response } = await stage.called(request(1), { agent: 'spy' });
    const { results, network, endpoint } = JSON.parse(response.feedback?.general_summary ?? '{}');
    assert.ok(
      (results as string[]).every((result) => /^E[A-Z]+$/.test(result)),
      String(results),
    );
    assert.deepEqual([network === 'connected', endpoint], [false, null]);
    assert.equal(existsSync(join(stage.folder, 'written.txt')), false);
    stage.configure();
  });
});
