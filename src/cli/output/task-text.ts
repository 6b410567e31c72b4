import type { TaskDetail } from '../../api/contract.ts';
import type { TaskView } from '../../api/task-view.ts';
import type { Look } from './look.ts';
import { reasonText } from './reason-text.ts';
import { runLines } from './run-text.ts';
import { statusText, taskTitle } from './task-words.ts';
import { secondText, timeText } from './time-text.ts';
import { visible, visibleLines } from './visible.ts';

const STATUS_WIDTH = 'in-progress'.length;
const PRIORITY_WIDTH = 'critical'.length;
const LABEL_WIDTH = 'depends on'.length;

/** One line of a list; `agentWidth` keeps the titles under each other. */
export function taskLine(task: TaskView, look: Look, agentWidth: number): string {
  const agent = visible(task.agent ?? '-').padEnd(agentWidth);
  const columns = [
    look.strong(task.id),
    statusText(task.status, look, STATUS_WIDTH),
    priorityText(task, look).padEnd(PRIORITY_WIDTH),
    task.agent === null ? look.faint(agent) : agent,
    visible(task.title),
  ];
  return columns.join('  ');
}

function priorityText({ priority }: TaskView, look: Look): string {
  const text = priority.padEnd(PRIORITY_WIDTH);
  if (priority === 'critical') return look.bad(text);
  return priority === 'high' ? look.strong(text) : look.faint(text);
}

/** Everything about one task, for somebody who is to work on it. */
export function taskPage(task: TaskDetail, look: Look): string {
  const rows = factsOf(task, look).filter(([, value]) => value !== null);
  const facts = rows.map(([label, value]) => `${look.faint(label.padEnd(LABEL_WIDTH))}  ${value}`);
  const runs = task.runs.length === 0 ? [] : ['', look.strong('Runs'), ...runLines(task.runs, look)];
  const body = task.body.trim() === '' ? [] : ['', visibleLines(task.body.trimEnd())];
  return [taskTitle(task, look), ...facts, ...runs, ...body].join('\n');
}

type Fact = readonly [label: string, value: string | null];

function factsOf(task: TaskDetail, look: Look): readonly Fact[] {
  const since = `since ${timeText(task.lastTransitionAt, look.nowMs)}`;
  const list = (items: readonly string[]) => (items.length === 0 ? null : visible(items.join(', ')));
  const text = (value: string | null) => (value === null ? null : visible(value));
  return [
    ['status', `${statusText(task.status, look)} ${since}`],
    ['reason', reasonText(task.reason)],
    ['priority', task.priority],
    ['agent', agentFact(task)],
    ['role', text(task.role)],
    ['tags', list(task.tags)],
    ['resource', text(task.resource)],
    ['part of', task.parentId],
    ['depends on', list(task.dependsOn)],
    ['review', task.metadata.reviewRequired === false ? 'not needed' : 'before it is done'],
    ['created', `${secondText(task.createdAt)} by ${visible(task.createdBy)}`],
    ['file', task.file],
  ];
}

function agentFact({ agent, runs }: TaskDetail): string {
  const holder = runs.find(({ status }) => status === 'running')?.agent;
  if (agent !== null) return visible(agent);
  return holder === undefined ? 'nobody yet' : `${visible(holder)}, who took it`;
}
