import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import { objectAt } from '../json-text.ts';

/**
 * AOP §1.3: a TASK as a v1 prompt, for an agent that lacks v2 and for a TASK that fails the schema. So the value is
 * not trusted to have the shape of a TASK: what cannot be read is left out.
 */
export function writeV1Prompt(message: JsonObject): string {
  const task = objectAt(message, 'task');
  const parts = [
    '# ORCHESTRATION_TASK\n\n**PROTOCOL:** AOP v1',
    bullets([
      ['Task ID', task.task_id],
      ['Category', task.category],
      ['Complexity', task.complexity],
      ['Priority', task.priority ?? 'NORMAL'],
    ]),
    section('Objective', textOf(task.objective)),
    section('Environment', environmentOf(objectAt(task, 'environment'))),
    section('Inputs', listOf(task.inputs, inputLine)),
    section('Expected Outputs', listOf(task.expected_outputs, outputLine)),
    section('Phases', phasesOf(message.phases)),
    section('Budgets', budgetsOf(objectAt(task, 'budgets'), objectAt(task, 'constraints'))),
    section('Execution Policy', policyOf(objectAt(message, 'execution_policy'), objectAt(message, 'guard_rails'))),
    'When you are done, say what you did, which files you created or changed, and whether every expected output is there.',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The objective of a message that may have any shape: without one there is nothing to run. */
export function readableObjective(message: unknown): string | null {
  const task = isJsonObject(message) ? objectAt(message, 'task') : {};
  const objective = typeof task.objective === 'string' ? task.objective.trim() : '';
  return objective === '' ? null : objective;
}

/** The parts of a TASK that a v1 prompt cannot carry; Baton still enforces those that bind the agent. */
export function featuresLostInV1(message: JsonObject): string[] {
  const policy = objectAt(message, 'execution_policy');
  const task = objectAt(message, 'task');
  const outputs = Array.isArray(task.expected_outputs) ? task.expected_outputs : [];
  const lost: [string, unknown][] = [
    ['structured_response', true],
    ['execution_profile', objectAt(message, 'target').execution_profile],
    ['task.access', task.access],
    ['rollback_snapshot', outputs.some((output) => isJsonObject(output) && output.rollback_snapshot)],
    ['execution_policy.alternative_models', policy.alternative_models],
    ['execution_policy.heartbeat', policy.heartbeat],
    ['guard_rails', message.guard_rails],
    ['orchestration_metadata', message.orchestration_metadata],
    ['extensions', message.extensions],
  ];
  return lost.filter(([, value]) => Boolean(value)).map(([name]) => name);
}

function environmentOf(environment: JsonObject): string {
  return bullets([
    ['Workspace', environment.workspace_root],
    ['OS', environment.os],
    ['Shell', environment.shell],
    ['Git branch', environment.git_branch],
  ]);
}

function inputLine(input: JsonObject): string {
  const what = [input.path, input.url, input.description].map(textOf).find((text) => text !== '') ?? '';
  const mode = input.read_only === false ? '' : ' (read only)';
  const content = textOf(input.content).trimEnd();
  const head = `- ${[textOf(input.type), what].filter((text) => text !== '').join(': ')}${mode}`;
  return content === '' ? head : `${head}\n\n${indented(content)}\n`;
}

/** As a code block of the list item above: no line can end the list or become a heading. */
function indented(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `      ${line}`)
    .join('\n');
}

function outputLine(output: JsonObject): string {
  const path = textOf(output.path);
  const check = objectAt(output, 'validation');
  const validation =
    check.command === undefined ? '' : ` (checked by \`${textOf(check.command)}\`: ${textOf(check.expects)})`;
  return `- ${textOf(output.type)}: ${path === '' ? '' : `${path}: `}${textOf(output.description)}${validation}`;
}

function phasesOf(phases: unknown): string {
  return listOf(phases, (phase) => {
    const head = `### ${textOf(phase.phase_order)}. ${textOf(phase.label)}\n\n${textOf(phase.objective)}`;
    const checkpoints = listOf(phase.checkpoints, (checkpoint) => {
      const check = objectAt(checkpoint, 'validation');
      const validation =
        check.command === undefined ? '' : ` (checked by \`${textOf(check.command)}\`: ${textOf(check.expects)})`;
      return `- Checkpoint ${textOf(checkpoint.checkpoint_id)}: ${textOf(checkpoint.description)}${validation}`;
    });
    return checkpoints === '' ? head : `${head}\n\n${checkpoints}`;
  });
}

function budgetsOf(budgets: JsonObject, constraints: JsonObject): string {
  return bullets([
    ['Max cost (USD)', smaller(budgets.max_cost_usd, constraints.max_cost_usd)],
    ['Max tokens', smaller(budgets.max_tokens, constraints.max_tokens)],
  ]);
}

/** Baton enforces the smaller of the two. */
function smaller(one: unknown, other: unknown): unknown {
  return typeof one === 'number' && typeof other === 'number' ? Math.min(one, other) : (one ?? other);
}

function policyOf(policy: JsonObject, guardRails: JsonObject): string {
  return bullets([
    ['Timeout (seconds)', guardRails.timeout_seconds ?? policy.timeout_seconds],
    ['Max retries', policy.max_retries],
    ['On failure', policy.on_failure],
  ]);
}

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`;
}

function bullets(rows: readonly (readonly [string, unknown])[]): string {
  return rows
    .filter(([, value]) => textOf(value) !== '')
    .map(([name, value]) => `- **${name}:** ${textOf(value)}`)
    .join('\n');
}

function listOf(list: unknown, line: (item: JsonObject) => string): string {
  if (!Array.isArray(list)) return '';
  return list.filter(isJsonObject).map(line).join('\n');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
