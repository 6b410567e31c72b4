import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeedbackAnswerView } from '../../../src/api/review/feedback-contract.ts';
import { afpCodec } from '../../../src/protocols/afp/codec.ts';
import type { AfpRequest, AfpResponse } from '../../../src/protocols/afp/schema.ts';
import { EMPTY_STREAM, readStreamLine } from '../../../src/protocols/afp/stream.ts';
import { DataFolder, scratchFolder } from '../data-folder.ts';
import { type BatonRun, linesOf, ROOT, runBaton } from '../run-baton.ts';
import { taken } from '../taken.ts';
import type { TestDaemon } from '../test-daemon.ts';

const REVIEWER = join(ROOT, 'test/fixtures/reviewers/reviews.mjs');
const scratch = scratchFolder('afp');
export const EXAMPLES = join(ROOT, 'test/corpus/afp');

interface Line {
  readonly type: string;
  readonly timestamp: number;
  readonly sessionID: string;
  readonly part: Readonly<Record<string, unknown>>;
}

interface FeedbackAnswer {
  readonly exit: number | null;
  readonly lines: readonly Line[];
  readonly session: string;
  readonly response: AfpResponse;
  readonly stderr: string;
}

interface Called extends Pick<FeedbackAnswer, 'session' | 'response'> {
  readonly warnings: readonly string[];
  readonly answer: FeedbackAnswerView;
}

export class Stage {
  readonly data: DataFolder;
  readonly folder: string;
  daemon: TestDaemon | null = null;

  constructor(name: string) {
    this.folder = join(scratch, name);
    mkdirSync(this.folder, { recursive: true });
    this.data = new DataFolder(join(this.folder, 'data'));
  }

  configure(settings: object = {}): void {
    const names = readFileSync(REVIEWER, 'utf8').matchAll(/^ {2}'?([a-z-]+)'?: \(\) =>/gm);
    const { agents: more, ...rest } = settings as { readonly agents?: object };
    const agents = {
      ...Object.fromEntries([...names].map(([, name = '']) => [name, reviewer(name)])),
      slow: { ...reviewer('never-answers'), timeout_seconds: 1 },
      ...more,
    };
    writeFileSync(join(this.data.path, 'config.yaml'), JSON.stringify({ agents, ...rest }));
  }

  /** The same by the calls of the node: it starts no command. */
  async called(request: unknown, { agent, session }: { agent?: string; session?: string }): Promise<Called> {
    const text = typeof request === 'string' ? request : JSON.stringify(request);
    const client = this.daemon?.client ?? assert.fail('no node');
    const where = { ...(agent !== undefined && { agent }), ...(session !== undefined && { session }) };
    const asked = taken(await client.askFeedback({ ...where, text, workspace: this.folder }));
    const { iteration, warnings } = asked;
    const answer =
      asked.answer ?? taken(await client.awaitFeedback({ session: asked.session, iteration })).answer ?? assert.fail();
    const response = JSON.parse(answer.response) as AfpResponse;
    assert.equal(afpCodec.decodeValue(response, { kind: 'response' }).verdict, 'accepted');
    assert.equal(answer.isSuccess, response.status === 'success');
    return { session: asked.session, response, warnings, answer };
  }

  ask(request: unknown, ...flags: string[]): Promise<BatonRun> {
    const text = typeof request === 'string' ? request : JSON.stringify(request);
    return runBaton(['afp', ...flags, '--data', this.data.path], { input: [text], folder: this.folder });
  }

  /** A request that is answered, by a success or an error. */
  async answered(request: unknown, ...flags: string[]): Promise<FeedbackAnswer> {
    const run = await this.ask(request, ...flags);
    const lines = linesOf<Line>(run);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['step_start', 'text', 'step_finish'],
      run.stdout + run.stderr,
    );
    const stream = run.stdout.split('\n').reduce(readStreamLine, EMPTY_STREAM);
    assert.ok(stream.response, JSON.stringify(stream.malformedResponse));
    assert.equal(run.status, stream.response.status === 'success' ? 0 : 1);
    const sessions = new Set(lines.flatMap(({ sessionID, part }) => [sessionID, part.sessionID]));
    assert.deepEqual([...sessions], [stream.sessionId], 'every line and every part names the one session');
    assert.equal(stream.skippedLines + stream.malformedLines + stream.errorLines, 0);
    return { exit: run.status, lines, session: stream.sessionId ?? '', response: stream.response, stderr: run.stderr };
  }
}

export function reviewer(...words: string[]): object {
  return { driver: 'process', command: [process.execPath, REVIEWER, ...words], provider: 'OTHER', model: 'm' };
}

export function request(iteration: number, content = '- one thing\n- another thing', decisions?: object[]): AfpRequest {
  return {
    protocol_version: '1.2',
    iteration,
    artifact: { media_type: 'text/markdown', content },
    ...(decisions && { applied_feedback: { items: decisions as never } }),
  };
}

export const idsOf = ({ feedback }: AfpResponse) => feedback?.areas_for_improvement.map(({ id }) => id) ?? [];
export const ackOf = ({ applied_feedback_ack: ack }: AfpResponse) =>
  ack?.items.map((item) => [item.id, item.processing_status]);
