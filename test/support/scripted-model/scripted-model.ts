import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { anthropicWire } from './anthropic-wire.ts';
import { chatWire } from './chat-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import { type AnsweringStep, answerOf, inputFor, type ModelStep } from './model-step.ts';
import { responsesWire } from './responses-wire.ts';
import type { Json, ModelRequest, ModelTokens, RefusedRequest, Rendered, StreamEvent, Wire } from './wire.ts';

const WIRES: readonly Wire[] = [anthropicWire, chatWire, responsesWire, geminiWire];

/** A request that asked the model to work. */
export interface ServedRequest {
  readonly wire: string;
  readonly model: string;
  /** The whole body, for what the program told its model. */
  readonly text: string;
  /** The HTTP status of the answer. */
  readonly status: number;
}

type Failing = Extract<ModelStep, { readonly do: 'fail' }>;

/**
 * A model on 127.0.0.1 that speaks the vendors' APIs and does what a test says, one step a request. Requests without
 * tools, such as the one for a title, get a few words and use up no step.
 */
export class ScriptedModel {
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch((error) => response.destroy(error));
  });
  #steps: ModelStep[] = [];
  readonly served: ServedRequest[] = [];
  /** Tokens of the answers to `served`, as the model counted them. */
  readonly tokens = { input: 0, output: 0 };
  /** The same for requests without tools. */
  readonly asideTokens = { input: 0, output: 0 };

  static async start(steps: readonly ModelStep[] = []): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    after(() => model.stop());
    model.follow(steps);
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Replaces the steps that are left. After the last one the model says that it is done. */
  follow(steps: readonly ModelStep[]): void {
    this.#steps = steps.flatMap((step): ModelStep[] => Array(('times' in step && step.times) || 1).fill(step));
  }

  /** Waits until the model was asked so often. */
  async asked(times: number): Promise<void> {
    while (this.served.length < times) await setTimeout(20);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://model');
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const wire = WIRES.find(({ path }) => path.test(pathname));
    if (request.method !== 'POST' || !wire) this.#serveOther(pathname, response);
    else {
      const asked = wire.read(JSON.parse(text) as Json, pathname);
      if (asked.tools.length === 0) this.#serveAside(asked, wire, response);
      else await this.#work({ wire, asked, text }, response);
    }
  }

  #serveAside(asked: ModelRequest, wire: Wire, response: ServerResponse): void {
    const text = asked.shape ? JSON.stringify(inputFor(asked.shape, {})) : 'A title';
    const rendered = this.#render(asked, { do: 'say', text });
    count(this.asideTokens, rendered);
    send(response, wire, rendered);
  }

  /** Lists of models, counts of tokens, signs of life. */
  #serveOther(path: string, response: ServerResponse): void {
    if (/count_?tokens$/i.test(path)) json(response, 200, { input_tokens: 100, totalTokens: 100 });
    else if (/\/models$/.test(path)) json(response, 200, { object: 'list', data: [], models: [] });
    else if (path === '/') json(response, 200, {});
    else json(response, 404, { error: { message: `the scripted model has no ${path}` } });
  }

  async #work({ wire, asked, text }: PendingRequest, response: ServerResponse): Promise<void> {
    const served = (status: number) => this.served.push({ wire: wire.name, model: asked.model, text, status });
    let step = this.#steps.shift() ?? { do: 'say', text: 'Done.' };
    while (step.do === 'wait') {
      await setTimeout(step.ms, undefined, { ref: false });
      step = this.#steps.shift() ?? { do: 'say', text: 'Done.' };
    }
    if (step.do === 'hang') {
      served(0);
      return;
    }
    if (step.do === 'ping') {
      served(200);
      beginStream(response);
      const timer = setInterval(() => response.write(wire.ping), step.everyMs);
      response.on('close', () => clearInterval(timer));
      return;
    }
    if (step.do === 'fail' || step.do === 'quota') {
      const { status, headers, body } = step.do === 'quota' ? wire.outOfQuota(step.resetsInMs) : failed(wire, step);
      served(status);
      json(response, status, body, headers);
      return;
    }
    served(200);
    if (step.do === 'cut' || step.do === 'garble') {
      const broken = this.#render(asked, { do: 'say', text: 'These words do not arrive whole.' });
      breakOff(response, wire.events(broken), step.do === 'garble');
      return;
    }
    const rendered = this.#render(asked, step);
    count(this.tokens, rendered);
    send(response, wire, rendered);
  }

  #made = 0;

  #render(request: ModelRequest, step: AnsweringStep): Rendered {
    const at = ++this.#made;
    const tokens: ModelTokens = { input: 1_000 + at, cached: 300, output: 50 + at };
    const hasUsage = !('hidesUsage' in step && step.hidesUsage);
    return { request, answer: answerOf(step, request), tokens, hasUsage, id: `${process.pid}${at}` };
  }
}

function count(total: { input: number; output: number }, { tokens, hasUsage }: Rendered): void {
  if (!hasUsage) return;
  total.input += tokens.input;
  total.output += tokens.output;
}

interface PendingRequest {
  readonly wire: Wire;
  readonly asked: ModelRequest;
  readonly text: string;
}

function send(response: ServerResponse, wire: Wire, rendered: Rendered): void {
  if (!rendered.request.isStream) {
    json(response, 200, wire.whole(rendered));
    return;
  }
  beginStream(response);
  for (const event of wire.events(rendered)) response.write(frame(event));
  response.end();
}

function breakOff(response: ServerResponse, events: readonly StreamEvent[], isGarbled: boolean): void {
  beginStream(response);
  for (const event of events.slice(0, Math.ceil(events.length / 2))) response.write(frame(event));
  if (isGarbled) response.end('data: {"type": "mess\n\ndata: \u0000\ufffd}{\n\n');
  else response.write(': cut\n\n', () => response.destroy());
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

function frame([name, data]: StreamEvent): string {
  return `${name === null ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

function failed(wire: Wire, { status, headers = {}, message, body }: Failing): RefusedRequest {
  return { status, headers, body: body ?? wire.failure(status, message ?? `scripted ${status}`) };
}

function json(response: ServerResponse, status: number, value: unknown, headers: RefusedRequest['headers'] = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}
