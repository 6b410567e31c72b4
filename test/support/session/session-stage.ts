import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { SessionView } from '../../../src/api/session/session-contract.ts';
import type { SessionFinalReportEvent } from '../../../src/protocols/aop/schema/events.ts';
import type { ResponseMessage } from '../../../src/protocols/aop/schema/response.ts';
import { BATON, type BatonRun, linesOf } from '../run-baton.ts';
import {
  type AopLine,
  type AopTask,
  type RefusedStart,
  type RunStage,
  type TaskChanges,
  taskFor,
} from '../run-stage.ts';

/** The part of a task of a session that a test cares about. */
export interface Member extends TaskChanges {
  readonly agent: string;
  readonly after?: readonly string[];
  readonly parent?: string;
  readonly objective?: string;
  readonly root?: string;
}

let made = 0;

/** TASKs of one session, for fixture agents, by their task_ids. */
export function sessionFor(
  root: string,
  members: Readonly<Record<string, Member>>,
  session: Readonly<Record<string, unknown>> = {},
): readonly AopTask[] {
  const session_id = `SES-${process.pid}-${++made}`;
  return Object.entries(members).map(([task_id, { agent, after: waits, parent, objective, root: own, ...changes }]) => {
    const task = taskFor(agent, own ?? root, {
      ...changes,
      task: {
        task_id,
        ...(objective !== undefined && { objective }),
        ...(parent !== undefined && { parent_task_id: parent }),
        ...(waits && { extensions: { x_depends_on: waits } }),
        ...changes.task,
      },
    });
    return { ...task, session: { ...task.session, session_id, ...session } };
  });
}

/** How `baton session run FILE --json` ended. */
export interface SessionRun {
  readonly exit: number | null;
  readonly stderr: string;
  readonly lines: readonly AopLine[];
  readonly responses: readonly ResponseMessage[];
  readonly report: SessionFinalReportEvent;
  /** The state of each task of the report. */
  readonly states: Readonly<Record<string, string>>;
}

export interface StartedSession {
  readonly child: ChildProcess;
  readonly ended: Promise<BatonRun>;
  answered(): Promise<SessionRun>;
}

export function sessionRun({ status, stdout, stderr }: BatonRun): SessionRun {
  const lines = linesOf<AopLine>({ status, stdout, stderr, extra: '' });
  const report = lines.at(-1) as unknown as SessionFinalReportEvent;
  if (report?.event !== 'SESSION_FINAL_REPORT') throw new Error(`no report, exit ${status}\n${stdout}${stderr}`);
  const responses = lines.filter(({ message_type }) => message_type === 'RESPONSE') as unknown as ResponseMessage[];
  const states = Object.fromEntries((report.tasks ?? []).map(({ task_id, state }) => [String(task_id), String(state)]));
  return { exit: status, stderr, lines, responses, report, states };
}

/** Runs sessions from files, as a person does. */
export class SessionStage {
  readonly stage: RunStage;
  #files = 0;

  constructor(stage: RunStage) {
    this.stage = stage;
  }

  write(content: unknown, name = 'json'): string {
    const file = join(this.stage.folder, `session-${++this.#files}.${name}`);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  async run(content: unknown, ...flags: string[]): Promise<SessionRun> {
    return sessionRun(await this.stage.data.run(['session', 'run', this.write(content), '--json', ...flags]));
  }

  async refused(content: unknown, ...flags: string[]): Promise<RefusedStart & { readonly exit: number | null }> {
    const run = await this.stage.data.run(['session', 'run', this.write(content), '--json', ...flags]);
    return { ...(linesOf<RefusedStart>(run)[0] as RefusedStart), exit: run.status };
  }

  /** The same in a process that can be signalled meanwhile. */
  start(content: unknown, ...flags: string[]): StartedSession {
    const args = ['session', 'run', this.write(content), '--json', ...flags, '--data', this.stage.data.path];
    const child = spawn(BATON, args, { cwd: this.stage.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    after(() => child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'close').then(([status]) => ({ status, stdout, stderr, extra: '' }) as BatonRun);
    return { child, ended, answered: () => ended.then(sessionRun) };
  }

  show(session: string): Promise<SessionView> {
    return this.stage.data.json<SessionView>('session', 'show', session);
  }
}
