import type { Attempt } from './execution/execution.ts';
import type { CheckResult } from './execution/fact.ts';
import { PROMPT_FILES_MAX, PROMPT_OUTPUT_CHARACTERS_MAX } from './limits.ts';
import type { Checkpoint, ExpectedOutput, Order, OrderInput, Phase, SentMessage, Validation } from './order.ts';

/** An order at the start of an attempt. */
export interface OrderedWork {
  readonly order: Order;
  readonly message: SentMessage;
  /** Milliseconds since 1970. */
  readonly orderedAt: number;
  /** The attempts so far; the last one is the attempt that begins. */
  readonly attempts: readonly Attempt[];
}

/** The instructions of one agent process. */
export interface Prompt {
  /** For a model. */
  readonly words: string;
  /** For programs that read a structured order; null where there is none, as for a reviewer. */
  readonly ordered: OrderedWork | null;
}

export function promptOf(ordered: OrderedWork): Prompt {
  return { words: writePrompt(ordered), ordered };
}

/** The words for a model: the order, how the work will be checked, and the result of the attempt before. */
function writePrompt({ order, attempts }: OrderedWork): string {
  const sections = [
    order.objective,
    section('Inputs', order.inputs.flatMap(inputLines)),
    section('Expected outputs', order.outputs.map(outputLine)),
    section('Phases', order.phases.map(phaseText)),
    section('Checks', checkLines(order)),
    section('The attempt before this one', earlierLines(attempts)),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

function inputLines({ type, path, url, description, content, isReadOnly }: OrderInput): string[] {
  const parts = [type, path ?? '', url ?? '', description].filter((part) => part !== '');
  const head = `- ${parts.join(': ')}${isReadOnly && path !== null ? ' (read only)' : ''}`;
  return content === '' ? [head] : [head, '', ...indented(content), ''];
}

function outputLine({ type, path, description, validation }: ExpectedOutput): string {
  const name = path === null ? type : `${type}: ${path}`;
  return `- ${name}: ${description}${validationText(validation)}`;
}

function phaseText({ label, objective, checkpoints }: Phase, index: number): string {
  return [`### ${index + 1}. ${label}`, '', objective, '', ...checkpoints.map(checkpointLine)].join('\n');
}

function checkpointLine({ id, description, artifacts, validation }: Checkpoint): string {
  const head = `- Checkpoint ${id}: ${description}${validationText(validation)}`;
  return [head, ...artifacts.map((artifact) => `  ${outputLine(artifact)}`)].join('\n');
}

function validationText(validation: Validation | null): string {
  return validation === null ? '' : ` (checked by \`${validation.command}\`, ${validation.expects})`;
}

function checkLines({ checks }: Order): string[] {
  if (checks.length === 0) return [];
  return ['These commands run when you are done, and must pass:', '', ...checks.map((check) => `- \`${check}\``)];
}

/** A lost attempt has no result, so the one before it is described. */
function earlierLines(attempts: readonly Attempt[]): string[] {
  const earlier = attempts.slice(0, -1).findLast(({ end }) => end !== null && end.kind !== 'lost');
  if (!earlier) return [];
  const { end, verified, collected } = earlier;
  const results = verified?.results ?? [];
  return [
    ...(end?.kind === 'failed' ? [`It failed with ${end.code}: ${end.message}`, ''] : []),
    ...results.filter(isFailure).flatMap(failureLines),
    ...results.filter(({ result }) => result === 'passed').map(({ id }) => `- Passed: ${id}`),
    ...(collected?.changed ?? []).slice(0, PROMPT_FILES_MAX).map(({ path, status }) => `- ${status}: ${path}`),
  ];
}

function isFailure({ result }: CheckResult): boolean {
  return result === 'failed' || result === 'could-not-run';
}

function failureLines({ message, tail }: CheckResult): string[] {
  const head = `- Failed: ${message}`;
  return tail === '' ? [head] : [head, '', ...indented(tail.slice(-PROMPT_OUTPUT_CHARACTERS_MAX)), ''];
}

/** As a code block of the list item above it: no line of the text can end the block. */
function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `      ${line}`);
}
