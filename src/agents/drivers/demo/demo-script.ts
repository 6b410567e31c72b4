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

export interface DemoScript {
  readonly commands: readonly DemoCommand[];
  /** So many runs, from the first, do the work wrongly. */
  readonly wrongRuns: number;
}

const LINE = /^[ \t]*(?:[-*][ \t]+)?@demo[ \t]+(\S+)(?:[ \t]+(\S.*))?[ \t\r]*$/gm;

/** The `@demo` lines of a text; every other line means nothing to the demo agent. */
export function readScript(text: string): DemoScript {
  const lines = [...text.matchAll(LINE)].map(([line, verb = '', rest = '']) => ({
    line: line.trim(),
    verb,
    rest: rest.trimEnd(),
  }));
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
  const found = /^(?:"(?<quoted>[^"]+)"|(?<plain>\S+))(?:[ \t]+(?<text>.*))?$/.exec(rest)?.groups;
  const path = found?.['quoted'] ?? found?.['plain'];
  return path === undefined ? null : make(path, found?.['text'] ?? '');
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

/** A line holds a text of several lines: \n is a line break, \t a tab, \\ a backslash. */
function unescaped(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
