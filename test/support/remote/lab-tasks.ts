import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { type FederationLab, MACHINES, type Machine } from '../federation/federation-lab.ts';
import { linesOf } from '../run-baton.ts';

/** Longer than a task and the time that its nodes need to find each other again. */
const END_MS_MAX = 120_000;

interface LabTask {
  readonly from: Machine;
  readonly to: Machine;
  readonly id: string;
  readonly uid: string;
  readonly file: string;
}

/** Tasks that the nodes of a lab give to each other: each sends one around the ring and knows which file has to come back. */
export class LabTasks {
  readonly #lab: FederationLab;
  readonly #repository: string;
  #tasks: LabTask[] = [];
  #made = 0;

  constructor(lab: FederationLab, folder: string) {
    this.#lab = lab;
    this.#repository = join(folder, 'repository');
    mkdirSync(this.#repository, { recursive: true });
    writeFileSync(join(this.#repository, 'given.txt'), 'given\n');
    execFileSync('git', ['init', '-q'], { cwd: this.#repository });
  }

  /** Every node gives a task to the next one, which works for this long. */
  async order(workMs: number): Promise<void> {
    for (const [at, from] of MACHINES.entries()) {
      const to = MACHINES[(at + 1) % MACHINES.length] ?? from;
      const file = `made-${++this.#made}.txt`;
      const words = `@demo sleep ${workMs}\n@demo write ${file} ${from}`;
      const flags = ['--workspace', this.#repository, '--on', to, '--check', `grep -q ${from} ${file}`, '--detach'];
      const run = await this.#lab.run(from, ['run', words, ...flags, '--yes']);
      const [answer] = linesOf<{ readonly task?: { readonly id: string; readonly uid: string } }>(run);
      if (!answer?.task) throw new Error(`${from} did not order: ${run.stdout}${run.stderr}`);
      this.#tasks.push({ from, to, file, id: answer.task.id, uid: answer.task.uid });
    }
  }

  /** Waits for the end of all tasks. What is wrong with them; empty is good: each is done, was done once, and its file came back. */
  async settled(): Promise<readonly string[]> {
    const deadlineMs = performance.now() + END_MS_MAX;
    const found: string[] = [];
    for (const task of this.#tasks) {
      for (;;) {
        const wrong = await this.#wrongWith(task);
        if (wrong === null) break;
        if (performance.now() > deadlineMs) {
          found.push(wrong);
          break;
        }
        await wait(250);
      }
    }
    this.#tasks = [];
    return found;
  }

  async #wrongWith({ from, to, id, uid, file }: LabTask): Promise<string | null> {
    const [task] = linesOf<TaskDetail>(await this.#lab.run(from, ['task', 'show', id]));
    if (task?.status !== 'done') return `${id} of ${from} is ${task?.status}: ${task?.reason}`;
    const runs = runsOf(this.#lab.folderOf(to), uid);
    if (runs !== 1) return `${id} of ${from} was run ${runs} times by ${to}`;
    const { stdout } = await this.#lab.run(from, ['diff', id]);
    return stdout.includes(file) ? null : `${file} of ${id} did not come back to ${from}`;
  }
}

/** How often a node has started an agent for a task of another. */
function runsOf(folder: string, uid: string): number {
  const db = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    const sql = 'SELECT count(*) AS runs FROM runs JOIN received_tasks USING (task_id) WHERE uid = ?';
    return Number(db.prepare(sql).get(uid)?.['runs']);
  } finally {
    db.close();
  }
}
