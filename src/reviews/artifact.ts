import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ARTIFACT_BYTES_MAX } from '../domain/limits.ts';
import type { Report } from '../domain/order/report.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Exchange } from '../domain/review/feedback-exchange.ts';
import type { TaskName } from '../domain/task/task.ts';
import { isWithin } from '../domain/work/path-text.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import type { AfpRequest } from '../protocols/afp/schema.ts';
import { leftWork } from '../work/left-work.ts';
import { folderOfExecution } from '../work/place/work-folder.ts';
import { diffOf, type LeftWork } from '../work/work.ts';
import type { ShownFolder } from './reviewer-launch.ts';

/** The artifact as it is now, and the folder in which a reviewer may read more. */
export interface PresentArtifact {
  readonly artifact: AfpRequest['artifact'];
  /** The worktree of the changes; absent where the user's own files are shown. */
  readonly shown?: ShownFolder;
}

export async function presentArtifact(world: OrderWorld, exchange: Exchange): Promise<PresentArtifact | Refusal> {
  const { subject, fixTask, workspace } = exchange;
  const work = fixTask === null ? null : workFolder(world, fixTask);
  if (isRefusal(work)) return work;
  const shown = work === null || work.mounts.length === 0 ? {} : { shown: work };
  if (subject.kind === 'text') {
    return { artifact: { media_type: subject.mediaType, content: subject.content } };
  }
  if (subject.kind === 'task') {
    const content = await workOf(world, subject.taskId);
    return isRefusal(content) ? content : { artifact: { media_type: 'text/markdown', content }, ...shown };
  }
  const content = readArtifact(join(workspace, subject.path), work);
  if (isRefusal(content)) return content;
  return { artifact: { media_type: subject.mediaType, content, artifact_ref: subject.path }, ...shown };
}

function workFolder({ ledger, dataFolder }: OrderWorld, task: TaskName): ShownFolder | Refusal {
  const work = leftWork(ledger.read, task);
  return isRefusal(work) ? work : folderOfExecution(work.execution, dataFolder);
}

/** Reads a file of the workspace, or its changed version in a worktree. A link that leads out of its folder is not followed. */
export function readArtifact(path: string, shown: Pick<ShownFolder, 'mounts'> | null): string | Refusal {
  const mount = shown?.mounts.find(({ at }) => isWithin(at, path));
  const place = mount === undefined ? path : mount.from + path.slice(mount.at.length);
  const unreadable = (why: string) => refuse('file-not-found', `${path} cannot be reviewed: ${why}`, '/artifact');
  let descriptor: number | null = null;
  try {
    if (mount !== undefined && !isWithin(realpathSync(mount.from), realpathSync(place))) {
      return unreadable('it is a link out of the worktree');
    }
    // A pipe would never be read to its end.
    descriptor = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return unreadable('it is not a file');
    if (stats.size > ARTIFACT_BYTES_MAX) return unreadable(`it has more than ${ARTIFACT_BYTES_MAX} bytes`);
    const bytes = readFileSync(descriptor);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? refuseBinary(path) : text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof TypeError) return refuseBinary(path);
    return unreadable(code === 'ENOENT' ? 'it is not there' : String(code ?? error));
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function refuseBinary(path: string): Refusal {
  const refusal = refuse('UNSUPPORTED_MEDIA_TYPE', `${path} cannot be reviewed: it is not text in UTF-8`, '/artifact');
  return { ...refusal, hint: 'name a file of text; one in another encoding has to be converted to UTF-8' };
}

async function workOf(world: OrderWorld, task: TaskName): Promise<string | Refusal> {
  const work = leftWork(world.ledger.read, task);
  if (isRefusal(work)) return work;
  const diff = await diffOf(world, work);
  return isRefusal(diff) ? diff : workText(work, diff);
}

type Difference = Exclude<Awaited<ReturnType<typeof diffOf>>, { readonly kind: 'refusal' }>;

/** The work of a task as a document for a reviewer: objective, acceptance criteria, Baton's own findings, and the difference. */
function workText({ task, execution }: LeftWork, diff: Difference): string {
  if (isRefusal(diff)) throw new Error('a refusal is no difference');
  const { order, reported } = execution;
  const report = reported?.report ?? null;
  const criteria = [
    ...order.checks.map((check) => entry(`\`${check}\` passes`)),
    ...order.outputs.map(({ path, type, description }) => entry(`${path ?? type}: ${description}`)),
    ...order.phases.flatMap(({ checkpoints }) => checkpoints.map(({ description }) => entry(description))),
  ];
  const findings = report === null ? [] : receiptLines(report);
  const files = diff.files.map(({ status, path, added, removed }) =>
    entry(`${status} ${path} (+${added ?? '?'} -${removed ?? '?'})`),
  );
  return [
    `# The work on ${task.id}: ${escapedLine(task.title)}`,
    section('Objective', [withoutHeadings(order.objective)]),
    section('Acceptance criteria', criteria.length === 0 ? ['- none were given'] : criteria),
    section('Receipt: what Baton measured', findings.length === 0 ? ['- nothing'] : findings),
    section('Changed files', files.length === 0 ? ['- none'] : files),
    section('Difference', [fenced(diff.text, 'diff')]),
  ].join('\n\n');
}

function receiptLines({ verdict, message, checks, oldTests, warnings, violations }: Report): string[] {
  return [
    `verdict: ${verdict}: ${message}`,
    ...checks.map(({ id, after, change }) => `check \`${id}\`: ${after} (${change})`),
    ...(oldTests ? [`with the tests as they were before: ${oldTests.result}: ${oldTests.message}`] : []),
    ...violations.map((path) => `written without a grant: ${path}`),
    ...warnings.map((warning) => `warning: ${warning.message}`),
  ].map(entry);
}

/** One line, whatever an agent put into a name or a message: it must not write a section of its own. */
function entry(text: string): string {
  return `- ${escapedLine(text)}`;
}

function escapedLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, (found) => JSON.stringify(found).slice(1, -1));
}

/** An order may be written by another agent: a heading in it is no section of this document. */
function withoutHeadings(text: string): string {
  return text.replaceAll(/^(?=\s{0,3}#{1,6}\s)/gm, '\\');
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.join('\n')}`;
}

/** The fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, each) => Math.max(most, each.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}\n${mark}`;
}
