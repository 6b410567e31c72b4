import { maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { maskWritten } from '../domain/secrets/mask-written.ts';
import { HANDOFF_REF, type Run, type RunResult } from '../domain/task/run.ts';
import type { Task } from '../domain/task/task.ts';
import { writeHandoffMarkdown } from '../protocols/aof/handoff-markdown.ts';
import type { Handoff } from '../protocols/aof/schema/messages.ts';
import { joinFrontMatter } from '../protocols/front-matter.ts';
import { writeYaml } from '../protocols/write-yaml.ts';
import { companionPath, runPath, taskPath } from './tree-paths.ts';

/** One task at one instant. */
export interface TaskFacts {
  readonly task: Task;
  /** Oldest first; the last is shown as the run, those before it as attempts. */
  readonly runs: readonly Run[];
  /** The payload of its handoff.request, as JSON. */
  readonly handoff: string | null;
  readonly project: string | null;
}

export interface TreeFile {
  readonly path: string;
  readonly text: string;
}

/** Every file of a task, the same bytes for the same facts. */
export function renderTask(facts: TaskFacts): TreeFile[] {
  const { task, runs } = facts;
  const files: TreeFile[] = [{ path: taskPath(task.status, task.id), text: taskText(facts) }];
  for (const run of runs) files.push(...runFiles(run, run === runs.at(-1) ? null : run.fence));
  if (facts.handoff !== null) files.push(...handoffFiles(task, facts.handoff));
  return files;
}

/** Fields in the order of aof:task-file; unset ones are omitted. */
function taskText({ task, runs, project }: TaskFacts): string {
  const { routing } = task;
  const lease = runs.findLast((run) => run.id === task.runId && run.status === 'running');
  const yaml = writeYaml({
    schemaVersion: 1,
    id: task.id,
    uid: task.uid,
    project: project ?? undefined,
    title: maskWritten(task.title),
    status: task.status,
    priority: task.priority,
    routing: filled({
      agent: routing.agent ?? undefined,
      role: routing.role ?? undefined,
      team: routing.team ?? undefined,
      tags: routing.tags.length === 0 ? undefined : routing.tags,
    }),
    lease: lease && leaseOf(lease),
    createdAt: instantOf(task.createdAt),
    updatedAt: instantOf(task.updatedAt),
    lastTransitionAt: instantOf(task.lastTransitionAt),
    createdBy: task.createdBy,
    parentId: task.parentId ?? undefined,
    dependsOn: task.dependsOn.length === 0 ? undefined : task.dependsOn,
    resource: task.resource ?? undefined,
    revision: task.revision,
    sla: task.sla ?? undefined,
    metadata: filled(task.metadata),
  });
  return joinFrontMatter({ yaml, body: maskWritten(task.body) });
}

function leaseOf(run: Run) {
  const { agent, id, fence, startedAt, leaseExpiresAt } = run;
  return { agent, runId: id, fence, acquiredAt: instantOf(startedAt), expiresAt: instantOf(leaseExpiresAt) };
}

function filled(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  return Object.values(object).some((value) => value !== undefined) ? object : undefined;
}

/** AOF/1, Artifacts, in the document's order. */
function runFiles(run: Run, attempt: number | null): TreeFile[] {
  const { taskId, agent: agentId } = run;
  const heartbeat = {
    taskId,
    agentId,
    lastHeartbeat: instantOf(run.lastBeatAt),
    beatCount: run.beats,
    expiresAt: instantOf(run.heartbeatExpiresAt),
  };
  const files = [
    { path: runPath(taskId, 'run.json', attempt), text: jsonText(runRecord(run)) },
    { path: runPath(taskId, 'run_heartbeat.json', attempt), text: jsonText(heartbeat) },
  ];
  if (run.result === null) return files;
  return [
    ...files,
    { path: runPath(taskId, 'run_result.json', attempt), text: jsonText(resultRecord(run, run.result)) },
  ];
}

/** It contains run id and fence so that no reader takes a result of one run for another's. */
function runRecord(run: Run) {
  const isReclaimed = run.status === 'failed' && run.endedAt !== null && run.endReason !== null;
  return {
    taskId: run.taskId,
    agentId: run.agent,
    startedAt: instantOf(run.startedAt),
    status: run.status,
    artifactPaths: { inputs: 'inputs/', work: 'work/', output: 'outputs/' },
    metadata: {
      runId: run.id,
      fence: run.fence,
      // aof:heartbeat
      ...(isReclaimed ? { expiredAt: instantOf(run.endedAt), expiredReason: run.endReason } : {}),
    },
  };
}

function resultRecord(run: Run, result: RunResult) {
  return {
    taskId: run.taskId,
    agentId: result.agent,
    completedAt: instantOf(result.completedAt),
    outcome: result.outcome,
    summaryRef: result.summaryRef,
    // aof:refs
    handoffRef: HANDOFF_REF,
    deliverables: result.deliverables,
    tests: result.tests,
    blockers: result.blockers,
    notes: maskSecrets(result.notes),
  };
}

const HANDOFF_FIELDS = [
  'taskId',
  'parentTaskId',
  'fromAgent',
  'toAgent',
  'acceptanceCriteria',
  'expectedOutputs',
  'contextRefs',
  'constraints',
  'dueBy',
] as const;

function handoffFiles(task: Task, request: string): TreeFile[] {
  const handoff = JSON.parse(request) as Handoff & Record<string, unknown>;
  const known = Object.fromEntries(HANDOFF_FIELDS.filter((key) => key in handoff).map((key) => [key, handoff[key]]));
  const folder = companionPath(task.status, task.id);
  return [
    { path: `${folder}/inputs/handoff.json`, text: jsonText({ ...known, ...handoff }) },
    { path: `${folder}/inputs/handoff.md`, text: writeHandoffMarkdown(handoff) },
  ];
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
