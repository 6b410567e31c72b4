import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { demoDriver } from '../../../src/agents/drivers/demo/demo-driver.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { aopCodec as aop } from '../../../src/protocols/aop/codec.ts';
import type { ResponseMessage } from '../../../src/protocols/aop/schema/response.ts';
import type { TaskMessage } from '../../../src/protocols/aop/schema/task.ts';
import { aLaunch } from './a-launch.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-demo-'));
  folders.push(folder);
  mkdirSync(join(folder, 'workspace'));
  return join(folder, 'workspace');
}

type TaskParts = Partial<TaskMessage['task']> & { readonly phases?: TaskMessage['phases'] };

export function taskText(workspace: string, { phases, ...task }: TaskParts): string {
  const message = {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: { session_id: 'S-1', created_at: '2026-02-26T14:00:00Z', orchestrator: 'Baton', origin: 'CLI' },
    target: { agent_name: 'demo', role: 'EXECUTOR', provider: 'LOCAL', model: 'none' },
    task: {
      task_id: 'T-1',
      objective: 'nothing',
      category: 'OTHER',
      complexity: 'LOW',
      environment: { workspace_root: workspace },
      ...task,
    },
    ...(phases ? { phases } : {}),
  };
  const text = JSON.stringify(message);
  assert.equal(aop.decode(text).verdict, 'accepted');
  return text;
}

interface DemoRun {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

export async function runDemo(
  folder: string,
  input: string,
  onLine?: (line: string, kill: () => void) => void,
): Promise<DemoRun> {
  const plan = demoDriver.plan(aLaunch());
  assert.ok(!isRefusal(plan));
  const [program = '', ...words] = plan.argv;
  const child = spawn(program, words, { cwd: folder, env: {} });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    onLine?.(chunk, () => child.kill('SIGTERM'));
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.end(input);
  const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (code, by) => resolve([code, by])),
  );
  return { exitCode, signal, lines: stdout.split('\n').filter((line) => line !== ''), stderr };
}

export async function obey(folder: string, task: TaskParts): Promise<DemoRun> {
  return await runDemo(folder, taskText(folder, task));
}

/** The one answer, which AOP accepts. */
export function responseOf({ lines, stderr }: DemoRun): ResponseMessage {
  const answers = lines.filter((line) => line.includes('"message_type":"RESPONSE"'));
  assert.equal(answers.length, 1, stderr);
  const verdict = aop.decode(answers[0] ?? '');
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict));
  return JSON.parse(answers[0] ?? '') as ResponseMessage;
}

export function readIn(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
