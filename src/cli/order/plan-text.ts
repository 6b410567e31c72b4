import type { OrderPlan } from '../../domain/order/order-request.ts';
import { counted } from '../../domain/words/counted.ts';
import { isWithin, wholePath } from '../../domain/work/path-text.ts';
import { foldLines, type Line, line } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

/** The plan in four lines: task, agent and folder, access, checks and limits. */
export function planLines(plan: OrderPlan, style: Style, task: string | null = null): readonly Line[] {
  return [
    planTaskLine(plan.title, style, task),
    line(`${agentOf(plan, style)} ${placeOf(plan)}`, label('agent', style.faint)),
    ...(plan.chosen === undefined ? [] : [line(visible(plan.chosen), label('auto', style.faint))]),
    line(touchOf(plan, style), label('may', style.faint)),
    ...readLines(plan, style),
    line(`${checksOf(plan, style)}; ${capsOf(plan)}`, label('checks', style.faint)),
    ...holderLines(plan, style),
    ...plan.warnings.map((warning) => line(visible(warning), label('note', style.open))),
  ];
}

export function planText(plan: OrderPlan, style: Style): string {
  return foldLines(planLines(plan, style), style.columns);
}

/** With its name, once it has one. */
export function planTaskLine(title: string, style: Style, task: string | null): Line {
  return line(`${task === null ? '' : `${style.strong(task)}  `}${visible(title)}`, label('task', style.faint));
}

/** The name, then driver and model unless they repeat it. */
function agentOf({ agent, workplace }: OrderPlan, style: Style): string {
  if (workplace === 'elsewhere') return `${style.strong(visible(agent.name))}, on another node,`;
  const more = [...new Set([agent.driver, agent.model])].filter((word) => word !== agent.name);
  const name = style.strong(visible(agent.name));
  return more.length === 0 ? name : `${name} (${more.map(visible).join(', ')})`;
}

function placeOf({ workspace, git, workplace }: OrderPlan): string {
  const where = {
    'in-place': 'in',
    worktree: 'in a worktree of',
    waits: 'waits for another run in',
    elsewhere: 'for',
  }[workplace];
  const state = git === null ? 'no git' : `${visible(git.branch ?? 'no branch')}, ${dirtyText(git.changedFiles)}`;
  return `${where} ${visible(workspace)} (${state})`;
}

/** Why the order does not run in the workspace itself, although nobody asked for that. */
function holderLines({ heldBy, workplace }: OrderPlan, style: Style): readonly Line[] {
  if (heldBy === null || workplace === 'in-place') return [];
  const so = workplace === 'worktree' ? 'this task gets its own worktree' : 'this task waits until it is done';
  return [line(`${heldBy} is working there; ${so}`, label('note', style.open))];
}

function dirtyText(changed: number): string {
  if (changed === 0) return 'clean';
  return `${counted(changed, 'file')} changed`;
}

function touchOf({ agent, writePaths, network, hosts, sandbox, workplace }: OrderPlan, style: Style): string {
  if (workplace === 'elsewhere') return receiverGrantText(network, hosts);
  const write = writePaths.length === 0 ? 'write nothing' : `write ${writePaths.map(visible).join(', ')}`;
  const reach = hosts.length === 0 ? networkText(network) : `reach ${hosts.map(visible).join(', ')}`;
  if (sandbox !== 'none') return `${write}; ${reach}; in a sandbox`;
  const own = OWN_BOUNDS[agent.driver];
  return `${write}; ${style.bad('not sandboxed')}: nothing enforces this${own === undefined ? '' : `, but ${own}`}`;
}

/** The policy of the other node may allow less. */
function receiverGrantText(network: string, hosts: readonly string[]): string {
  const reach = hosts.length === 0 ? networkText(network) : `reach ${hosts.map(visible).join(', ')}`;
  return `write a folder of its own there; ${reach} at most; in a sandbox`;
}

/** The bounds that a vendor's own program keeps where Baton's sandbox is missing. */
const OWN_BOUNDS: Readonly<Partial<Record<string, string>>> = {
  acp: 'it does what it asks for only if you agree',
  claude: 'it asks you before anything else than an edit',
  codex: 'its own sandbox confines its commands',
  gemini: 'it may only edit',
  opencode: 'it may only edit',
};

/** Everything that is readable beside the workspace and the folders of the system. */
function readLines(
  { workspace, readPaths, writePaths, programPaths, sessionPaths }: OrderPlan,
  style: Style,
): readonly Line[] {
  const shown = [...new Set([...readPaths, ...writePaths, ...programPaths])].filter(
    (path) => !isWithin(workspace, wholePath(workspace, path)),
  );
  return [
    ...(shown.length === 0 ? [] : [line(shown.map(visible).join(', '), label('reads', style.faint))]),
    ...(sessionPaths.length === 0 ? [] : [line(sessionPaths.map(visible).join(', '), label('keeps', style.faint))]),
  ];
}

function networkText(network: string): string {
  return network === 'FULL' ? 'use the whole network' : 'no network';
}

function checksOf({ checks, suggestedChecks }: OrderPlan, style: Style): string {
  if (checks.length > 0) return checks.map(visible).join(', ');
  const proposed = suggestedChecks.map((check) => `--check ${JSON.stringify(visible(check))}`).join(' ');
  const hint = proposed === '' ? '' : ` (this repository suggests ${proposed})`;
  return style.open(`none: the work will be unchecked${hint}`);
}

function capsOf({ timeoutSeconds, retries, budgetUsd, costsMoney, workplace }: OrderPlan): string {
  const tries = retries === 0 ? 'no retry' : counted(retries, 'retry', 'retries');
  const free = workplace === 'elsewhere' ? 'no cap on money' : costsMoney ? 'no cap on money' : 'costs nothing';
  const money = budgetUsd === null ? free : `at most $${budgetUsd}`;
  return `${tries}, at most ${durationText(timeoutSeconds * 1_000)}${retries === 0 ? '' : ' each'}, ${money}`;
}

export const LABEL_WIDTH = 'started'.length;

/** The first word of a line, padded so that the rest of all lines forms a column. */
export function label(word: string, paint: (text: string) => string): string {
  return `${paint(word)}${' '.repeat(Math.max(0, LABEL_WIDTH - word.length))} `;
}

/** A line that continues the one above it. */
export function below(text: string): Line {
  return line(text, ' '.repeat(LABEL_WIDTH + 1));
}
