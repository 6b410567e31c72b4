import type { TaskMessage } from '../../../protocols/aop/schema/task.ts';
import type { ExpectedFile } from './demo-workspace.ts';

/** One `@demo` line. */
export type DemoCommand =
  | { readonly verb: 'write' | 'append'; readonly path: string; readonly text: string }
  | { readonly verb: 'delete'; readonly path: string }
  | { readonly verb: 'think' | 'say'; readonly text: string }
  | { readonly verb: 'sleep'; readonly milliseconds: number }
  | { readonly verb: 'cost'; readonly usd: number; readonly tokens: number }
  | { readonly verb: 'exit'; readonly code: number }
  | { readonly verb: 'hang' }
  | { readonly verb: 'respond'; readonly signal: DemoSignal }
  | { readonly verb: 'unknown'; readonly line: string };

const SIGNALS = ['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED'] as const;
export type DemoSignal = (typeof SIGNALS)[number];

interface DemoScript {
  readonly commands: readonly DemoCommand[];
  /** The first runs, this many, do the work wrongly. */
  readonly wrongRuns: number;
}

export interface DemoPart {
  /** Null for the objective of the task itself. */
  readonly phase: { readonly id: string; readonly label: string } | null;
  readonly script: DemoScript;
}

/** The parts of its input that the demo agent reads. */
export interface DemoTask {
  /** Null for a prompt in words, such as a v1 prompt: then it writes no messages. */
  readonly ids: { readonly sessionId: string; readonly taskId: string; readonly agent: string } | null;
  /** Counted from 1. */
  readonly attempt: number;
  readonly workspaceRoot: string;
  readonly parts: readonly DemoPart[];
  readonly expected: readonly ExpectedFile[];
}

/** Baton validates a TASK before it hands it over, so its shape is trusted here. */
export function readTask(text: string, folder: string): DemoTask {
  const task = parseTask(text);
  return task ? taskOf(task) : wordsOf(text, folder);
}

function parseTask(text: string): TaskMessage | null {
  try {
    const value = JSON.parse(text) as TaskMessage | null;
    return value?.message_type === 'TASK' ? value : null;
  } catch {
    // A prompt in words.
    return null;
  }
}

function wordsOf(text: string, workspaceRoot: string): DemoTask {
  const parts = [{ phase: null, script: readScript(text) }];
  return { ids: null, attempt: 1, workspaceRoot, parts, expected: [] };
}

function taskOf({ session, target, task, phases }: TaskMessage): DemoTask {
  const ordered = [...(phases ?? [])].sort((one, other) => one.phase_order - other.phase_order);
  return {
    ids: { sessionId: session.session_id, taskId: task.task_id, agent: target.agent_name },
    attempt: Math.max(task.attempt ?? 1, attemptOf(task.extensions?.['x_baton'])),
    workspaceRoot: task.environment.workspace_root,
    parts: [
      { phase: null, script: readScript(task.objective) },
      ...ordered.map(({ phase_id, label, objective }) => {
        return { phase: { id: phase_id, label }, script: readScript(objective) };
      }),
    ],
    expected: expectedOf({ task, phases: ordered }),
  };
}

function attemptOf(extension: unknown): number {
  const { attempt } = (extension ?? {}) as { attempt?: unknown };
  return typeof attempt === 'number' ? attempt : 1;
}

function expectedOf({ task, phases }: Pick<TaskMessage, 'task' | 'phases'>): readonly ExpectedFile[] {
  const artifacts = (phases ?? []).flatMap(({ checkpoints }) =>
    (checkpoints ?? []).flatMap((checkpoint) =>
      (checkpoint.expected_artifacts ?? []).map(({ type, path, description }) => {
        return { type, path, description: description ?? checkpoint.description };
      }),
    ),
  );
  return [...(task.expected_outputs ?? []), ...artifacts].flatMap(({ type, path, description }) =>
    path && (type === 'FILE' || type === 'DIRECTORY') ? [{ type, path, description }] : [],
  );
}

/** In a list, too. */
const COMMAND = /^(?:[-*][ \t]+)?@demo[ \t]+(\S+)/;

/** The `@demo` lines of a text; the agent ignores every other line. */
function readScript(text: string): DemoScript {
  const lines = text.split('\n').flatMap((written) => {
    const line = written.trim();
    const [begin = '', verb] = COMMAND.exec(line) ?? [];
    return verb === undefined ? [] : [{ line, verb, rest: line.slice(begin.length).trim() }];
  });
  const wrong = lines.filter(({ verb }) => verb === 'wrong').map(({ rest }) => wholeOf(rest) ?? 1);
  const commands = lines
    .filter(({ verb }) => verb !== 'wrong')
    .map(({ line, verb, rest }) => readCommand(verb, rest) ?? { verb: 'unknown' as const, line });
  return { commands, wrongRuns: Math.max(0, ...wrong) };
}

function readCommand(verb: string, rest: string): DemoCommand | null {
  switch (verb) {
    case 'write':
    case 'append':
      return onPath(rest, (path, text) => ({ verb, path, text: unescaped(text) }));
    case 'delete':
      return onPath(rest, (path) => ({ verb, path }));
    case 'think':
    case 'say':
      return { verb, text: unescaped(rest) };
    case 'sleep':
      return onNumbers(rest, ([milliseconds = 0]) => ({ verb, milliseconds }));
    case 'cost':
      return onNumbers(rest, ([usd = 0, tokens = 0]) => ({ verb, usd, tokens: Math.round(tokens) }));
    case 'exit':
      return onNumbers(rest, ([code = 0]) => ({ verb, code }));
    case 'hang':
      return { verb };
    case 'respond':
      return respondCommand(rest);
    default:
      return null;
  }
}

function onPath(rest: string, make: (path: string, text: string) => DemoCommand): DemoCommand | null {
  const [, quoted, path = quoted, text = ''] = /^(?:"([^"]+)"|(\S+))(?:[ \t](.*))?$/s.exec(rest) ?? [];
  return path === undefined ? null : make(path, text.trimStart());
}

function onNumbers(rest: string, make: (numbers: readonly number[]) => DemoCommand): DemoCommand | null {
  const words = rest.split(/[ \t]+/).filter((word) => word !== '');
  const numbers = words.map(Number);
  return numbers.length > 0 && numbers.every((number) => number >= 0) ? make(numbers) : null;
}

function respondCommand(rest: string): DemoCommand | null {
  const signal = SIGNALS.find((name) => name === rest.toUpperCase());
  return signal ? { verb: 'respond', signal } : null;
}

function wholeOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' };

/** \n is a line break, \t a tab, \\ a backslash. */
function unescaped(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
