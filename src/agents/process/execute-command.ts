import { COMMAND_TAIL_CHARACTERS } from '../../domain/process-limits.ts';
import { LineMask } from '../../domain/secrets/mask-secrets.ts';
import { systemTimer, type Timer } from '../../platform/timer.ts';
import type { Grant, OutputLine, Sandbox } from '../sandbox/sandbox.ts';

export interface CommandRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly grant: Grant;
  readonly timeoutMs: number;
  readonly secrets?: readonly string[];
  /** Aborted, the command is ended. */
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult =
  | {
      readonly kind: 'ran';
      readonly exitCode: number | null;
      readonly signal: string | null;
      /** The last lines, secrets masked. */
      readonly stdoutTail: string;
      readonly stderrTail: string;
      /** The size of both streams, as UTF-8 lines. */
      readonly outputBytes: number;
      /** Something other than white space on stdout. */
      readonly hasOutput: boolean;
      readonly durationMs: number;
      readonly isTimedOut: boolean;
    }
  | { readonly kind: 'could-not-run'; readonly reason: string };

/** Runs one command until it ends, its time is over, or its signal is aborted. */
export async function executeCommand(
  sandbox: Sandbox,
  request: CommandRequest,
  timer: Timer = systemTimer(),
): Promise<CommandResult> {
  const kept = { stdout: new Tail(), stderr: new Tail() };
  const { argv, cwd, env, grant, timeoutMs, secrets = [] } = request;
  const onLine = (line: OutputLine) => kept[line.stream].add(line.text);
  const live = await sandbox.start({ argv, cwd, env, grant, secrets, stdin: '', onLine });
  let isTimedOut = false;
  const cancel = timer.after(timeoutMs, () => {
    isTimedOut = true;
    void live.stop();
  });
  const stop = () => void live.stop();
  request.signal?.addEventListener('abort', stop);
  if (request.signal?.aborted) stop();
  const end = await live.ended.finally(() => {
    cancel();
    request.signal?.removeEventListener('abort', stop);
  });
  if (end.kind === 'not-started') return { kind: 'could-not-run', reason: end.reason };
  if (request.signal?.aborted) return { kind: 'could-not-run', reason: 'it was stopped' };
  const { exitCode, signal, durationMs } = end;
  return { kind: 'ran', exitCode, signal, durationMs, isTimedOut, ...tailsOf(kept) };
}

function tailsOf({ stdout, stderr }: Readonly<Record<OutputLine['stream'], Tail>>) {
  return {
    stdoutTail: stdout.text.slice(-COMMAND_TAIL_CHARACTERS),
    stderrTail: stderr.text.slice(-COMMAND_TAIL_CHARACTERS),
    outputBytes: stdout.bytes + stderr.bytes,
    hasOutput: stdout.hasText,
  };
}

class Tail {
  readonly #mask = new LineMask();
  text = '';
  bytes = 0;
  hasText = false;

  add(line: string): void {
    this.bytes += Buffer.byteLength(line) + 1;
    this.hasText ||= line.trim() !== '';
    // Cut only now and then: a string that is only added to costs nothing.
    this.text += `${this.#mask.line(line)}\n`;
    if (this.text.length > 2 * COMMAND_TAIL_CHARACTERS) this.text = this.text.slice(-COMMAND_TAIL_CHARACTERS);
  }
}
