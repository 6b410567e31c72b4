import type { JsonObject } from '../../domain/words/json-object.ts';
import { readJson } from '../json-text.ts';
import type { AfpResponse } from './schema.ts';
import { type AfpStep, writeStepFinish, writeStepStart, writeText } from './stream.ts';

interface Ids {
  ulid(): string;
}

export interface StreamedAnswer {
  /** The Response Object, as JSON. */
  readonly response: string;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
}

/** AFP §5.2: the three lines of one answer, with ids that no other line has. */
export class AnswerStream {
  readonly #ids: Ids;
  readonly #step: AfpStep;

  constructor(sessionId: string, ids: Ids) {
    this.#ids = ids;
    this.#step = { sessionId, messageId: `msg_${ids.ulid()}` };
  }

  start(timestampMs: number): JsonObject {
    return line(writeStepStart(this.#step, { partId: this.#partId(), timestampMs }));
  }

  answer(answer: StreamedAnswer): readonly JsonObject[] {
    const { askedAtMs: startMs, answeredAtMs: endMs, costUsd: cost, tokensInput, tokensOutput } = answer;
    const response = readJson(answer.response).value as unknown as AfpResponse;
    const at = { timestampMs: endMs };
    return [
      line(writeText(this.#step, { partId: this.#partId(), ...at, startMs, endMs }, response)),
      line(
        writeStepFinish(this.#step, {
          partId: this.#partId(),
          ...at,
          cost,
          tokens: { input: tokensInput, output: tokensOutput },
        }),
      ),
    ];
  }

  #partId(): string {
    return `prt_${this.#ids.ulid()}`;
  }
}

/** Its fields keep their order. */
function line(written: string): JsonObject {
  return JSON.parse(written) as JsonObject;
}
