import type { ModelAnswer, ModelRequest, OfferedTool, ToolCall, ToolSchema } from './wire.ts';

/** One thing that the model does when it is asked; a test gives the list of them. */
export type ModelStep =
  | { readonly do: 'say'; readonly text: string; readonly hidesUsage?: boolean }
  /** Calls the tool that writes files; the shell where none is offered. */
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'shell'; readonly command: string }
  | { readonly do: 'tool'; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  /** Several tool calls in one answer. */
  | { readonly do: 'several'; readonly steps: readonly CallingStep[] }
  /** A tool call whose arguments are no JSON. */
  | { readonly do: 'broken-call'; readonly command: string }
  /** Answers with an HTTP status; `times` requests, one without it. */
  | {
      readonly do: 'fail';
      readonly status: number;
      readonly times?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      /** The whole body, where a vendor's own words matter. */
      readonly body?: unknown;
    }
  /** The account has used up its quota, as the vendor says it. */
  | { readonly do: 'quota'; readonly resetsInMs: number; readonly times?: number }
  /** The connection ends in the middle of the stream. */
  | { readonly do: 'cut'; readonly times?: number }
  /** The stream has an event that is no JSON. */
  | { readonly do: 'garble'; readonly times?: number }
  /** The next answer takes its time. */
  | { readonly do: 'wait'; readonly ms: number }
  /** No answer ever. */
  | { readonly do: 'hang'; readonly times?: number }
  /** A stream that begins and then has signs of life only, without end. */
  | { readonly do: 'ping'; readonly everyMs: number };

type CallingStep = Extract<ModelStep, { readonly do: 'write' | 'shell' | 'tool' }>;
export type AnsweringStep = CallingStep | Extract<ModelStep, { readonly do: 'say' | 'several' | 'broken-call' }>;

const WRITE_TOOLS = ['Write', 'write_file', 'write', 'create_file'];
const SHELL_TOOLS = ['Bash', 'bash', 'exec_command', 'shell', 'shell_command', 'run_shell_command'];

/** The names that tools give to their arguments. */
const ARGUMENTS = {
  path: ['file_path', 'filePath', 'path', 'absolute_path'],
  content: ['content', 'contents', 'text'],
  command: ['command', 'cmd'],
} as const;

export function answerOf(step: AnsweringStep, { tools }: ModelRequest): ModelAnswer {
  switch (step.do) {
    case 'say':
      return { kind: 'text', text: step.text };
    case 'broken-call':
      return answered([brokenCall(step.command, tools)], tools);
    case 'several':
      return answered(
        step.steps.map((each) => callOf(each, tools)),
        tools,
      );
    default:
      return answered([callOf(step, tools)], tools);
  }
}

function callOf(step: CallingStep, tools: readonly OfferedTool[]): ToolCall | null {
  switch (step.do) {
    case 'tool': {
      const tool = offered(tools, [step.name]);
      return tool ? { tool, input: step.input } : null;
    }
    case 'write': {
      const tool = offered(tools, WRITE_TOOLS);
      const input = { path: step.path, content: step.content };
      return tool
        ? { tool, input: inputFor(tool.schema, input) }
        : shell(`printf %s ${quoted(step.content)} > ${quoted(step.path)}`, tools);
    }
    case 'shell':
      return shell(step.command, tools);
  }
}

function shell(command: string, tools: readonly OfferedTool[]): ToolCall | null {
  const tool = offered(tools, SHELL_TOOLS);
  return tool ? { tool, input: inputFor(tool.schema, { command }) } : null;
}

function brokenCall(command: string, tools: readonly OfferedTool[]): ToolCall | null {
  const call = shell(command, tools);
  return call && { ...call, brokenInput: JSON.stringify(call.input).slice(0, -2) };
}

function answered(calls: readonly (ToolCall | null)[], tools: readonly OfferedTool[]): ModelAnswer {
  const offered = calls.filter((call) => call !== null);
  return offered.length === calls.length
    ? { kind: 'calls', calls: offered }
    : { kind: 'text', text: `a tool is missing among ${tools.map((tool) => tool.name).join(', ')}` };
}

function offered(tools: readonly OfferedTool[], names: readonly string[]): OfferedTool | undefined {
  return names.map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool !== undefined);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The arguments under the names that this tool has for them, and something for whatever else it insists on. */
export function inputFor(schema: ToolSchema, wanted: Partial<Record<keyof typeof ARGUMENTS, string>>) {
  const { properties = {}, required = [] } = schema;
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const own = ARGUMENTS[name as keyof typeof ARGUMENTS].find((each) => each in properties);
    if (own === undefined) continue;
    input[own] = properties[own]?.type === 'array' ? ['bash', '-lc', value] : value;
  }
  const fillers: Readonly<Record<string, unknown>> = { boolean: false, number: 1, integer: 1, array: [], object: {} };
  for (const name of required) {
    const property = properties[name];
    input[name] ??= property?.enum?.[0] ?? fillers[String(property?.type).toLowerCase()] ?? 'test';
  }
  return input;
}
