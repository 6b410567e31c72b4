import { NDJSON_LINE_BYTES_MAX } from '../../../domain/federation/message-limits.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { openBytes, readBounded } from '../../../platform/files/files.ts';
import { systemTimer, type Timer } from '../../../platform/timer.ts';
import {
  type DemoCost,
  type DemoError,
  type DemoProgress,
  demoSummary,
  heartbeat,
  progressUpdate,
  response,
  thoughtTurn,
} from './demo-messages.ts';
import { requestIn, reviewArtifact } from './demo-review.ts';
import { type DemoCommand, type DemoPart, type DemoSignal, type DemoTask, readTask } from './demo-task.ts';
import { DemoWorkspace, OutsideWorkspace } from './demo-workspace.ts';

// The demo agent: a program that speaks as the process driver expects, so that a first run needs no key and no network.
// It reads the TASK on standard input, obeys its @demo lines, and says each time that no model was used.

interface Outside {
  readonly clock: Clock;
  readonly timer: Timer;
  print(line: string): void;
}

const HUNG_MS = 2 ** 31 - 1;
const DENIALS = new Set(['EACCES', 'EPERM', 'EROFS']);

class DemoAgent {
  readonly #task: DemoTask;
  readonly #outside: Outside;
  readonly #workspace: DemoWorkspace;
  readonly #startedAt: Date;
  readonly #actions: string[] = [];
  readonly #errors: DemoError[] = [];
  #cost: DemoCost = { usd: 0, tokens: 0 };
  #place: Omit<DemoProgress, 'at'> = { percentage: 0, phase: null };
  #turns = 0;
  #hasResponded = false;

  constructor(task: DemoTask, outside: Outside) {
    this.#task = task;
    this.#outside = outside;
    this.#workspace = new DemoWorkspace(task.workspaceRoot);
    this.#startedAt = this.#now();
  }

  /** Resolves with the exit code. */
  async work(): Promise<number> {
    const { parts, ids } = this.#task;
    for (const [at, part] of parts.entries()) {
      this.#reportProgress(part, Math.floor((100 * at) / parts.length));
      const code = await this.#obeyAll(part);
      if (code !== null) return code;
    }
    if (parts.every(({ script }) => script.commands.length === 0)) this.#makeOutputs();
    if (ids) this.#send(progressUpdate(ids, { at: this.#now(), percentage: 100, phase: null }, this.#cost));
    if (!this.#hasResponded) this.#respond(this.#errors.length === 0 ? 'SUCCESS' : 'FAILURE');
    return 0;
  }

  #reportProgress({ phase }: DemoPart, percentage: number): void {
    this.#place = { percentage, phase };
    this.#beat();
    if (this.#task.ids && phase) this.#send(progressUpdate(this.#task.ids, this.#moment(), this.#cost));
  }

  #beat(): void {
    if (this.#task.ids) this.#send(heartbeat(this.#task.ids, this.#moment(), this.#cost));
  }

  /** Reported at once, so that a budget can end the run. */
  #spend({ usd, tokens }: DemoCost): void {
    this.#cost = { usd: this.#cost.usd + usd, tokens: this.#cost.tokens + tokens };
    this.#beat();
  }

  #moment(): DemoProgress {
    return { at: this.#now(), ...this.#place };
  }

  /** Resolves with an exit code where a line asks to exit, else with null. */
  async #obeyAll({ script }: DemoPart): Promise<number | null> {
    for (const command of script.commands) {
      if (command.verb === 'exit') return command.code;
      try {
        await this.#obey(command, this.#isWrong(script.wrongRuns));
      } catch (error) {
        this.#fail(error);
      }
    }
    return null;
  }

  /** `@demo wrong` in the objective of the task applies to its phases too. */
  #isWrong(wrongRuns: number): boolean {
    return this.#task.attempt <= Math.max(wrongRuns, this.#task.parts[0]?.script.wrongRuns ?? 0);
  }

  async #obey(command: Exclude<DemoCommand, { verb: 'exit' }>, isWrong: boolean): Promise<void> {
    switch (command.verb) {
      case 'write':
      case 'append':
      case 'delete':
        return this.#touch(command, isWrong);
      case 'think':
        return this.#think(command.text);
      case 'say':
        return this.#outside.print(command.text);
      case 'sleep':
        return await this.#outside.timer.pause(Math.min(command.milliseconds, HUNG_MS));
      case 'cost':
        return this.#spend(command);
      case 'hang':
        for (;;) await this.#outside.timer.pause(HUNG_MS);
      case 'respond':
        return this.#respond(command.signal);
      case 'unknown':
        this.#errors.push({ code: 'E_UNKNOWN', message: `This line is not known: ${command.line}` });
    }
  }

  /** Done wrongly, a file has another text, and nothing is appended or deleted. */
  #touch(command: Extract<DemoCommand, { path: string }>, isWrong: boolean): void {
    const { verb, path } = command;
    if (verb === 'write') {
      this.#workspace.write(path, `${isWrong ? `wrong, on purpose, in run ${this.#task.attempt}` : command.text}\n`);
    } else if (!isWrong && verb === 'append') this.#workspace.append(path, `${command.text}\n`);
    else if (!isWrong && verb === 'delete') this.#workspace.delete(path);
    this.#actions.push(`${verb} ${path}`);
  }

  #think(thought: string): void {
    const { ids } = this.#task;
    this.#turns++;
    if (ids) this.#send(thoughtTurn(ids, { index: this.#turns, thought, at: this.#now() }));
    else this.#outside.print(thought);
  }

  /** Without any @demo line: expected outputs that are missing are made from their descriptions. */
  #makeOutputs(): void {
    const { expected, parts } = this.#task;
    const wrongRuns = Math.max(...parts.map(({ script }) => script.wrongRuns));
    for (const output of this.#isWrong(wrongRuns) ? [] : expected) {
      try {
        if (this.#workspace.makeOutput(output)) this.#actions.push(`made ${output.path}`);
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  /** A path that the workspace or the system refuses; the other lines are still obeyed. */
  #fail(error: unknown): void {
    const isOutside = error instanceof OutsideWorkspace;
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isOutside && code === undefined) throw error;
    const isDenied = isOutside || DENIALS.has(code ?? '');
    this.#errors.push({ code: isDenied ? 'E_PERMISSION_DENIED' : 'E_UNKNOWN', message });
  }

  #respond(signal: DemoSignal): void {
    const { ids } = this.#task;
    this.#hasResponded = true;
    const touched = this.#workspace.touched;
    const record = {
      startedAt: this.#startedAt,
      actions: this.#actions,
      errors: this.#errors,
      touched,
      cost: this.#cost,
    };
    if (ids) this.#send(response(ids, record, { signal, at: this.#now() }));
    else this.#outside.print(`${signal}: ${demoSummary(record)}`);
  }

  #send(message: object): void {
    this.#outside.print(JSON.stringify(message));
  }

  #now(): Date {
    return new Date(this.#outside.clock.now().wallMs);
  }
}

const input = (await readBounded(openBytes('-'), NDJSON_LINE_BYTES_MAX)).toString('utf8');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const asked = requestIn(input);
if (asked) print(JSON.stringify(reviewArtifact(asked)));
else {
  const outside = { clock: systemClock(), timer: systemTimer(), print };
  process.exitCode = await new DemoAgent(readTask(input, process.cwd()), outside).work();
}
