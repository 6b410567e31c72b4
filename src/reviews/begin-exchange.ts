import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path';
import { FEEDBACK_AT_ONCE_MAX, FEEDBACK_ROUNDS_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { ExchangeSubject, ExchangeTerms } from '../domain/review/exchange-fact.ts';
import type { ReviewerTerms } from '../domain/review/feedback-session.ts';
import { isWithin } from '../domain/work/path-text.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { readJson } from '../protocols/json-text.ts';
import { leftWork } from '../work/left-work.ts';
import { diffOf, type LeftWork } from '../work/work.ts';
import { findRepository } from '../workspace/find-repository.ts';
import { git } from '../workspace/git.ts';
import { readArtifact } from './artifact.ts';
import { keepFact } from './keep-fact.ts';
import { openExchange } from './record-exchange.ts';
import { decideReviewer, findReviewer, refuseOpenReview } from './reviewer-launch.ts';

/** A request for feedback in rounds. One of `file`, `text` and `task` names the artifact. */
export interface ExchangeRequest extends Pick<ExchangeTerms, 'reviewers' | 'fixer' | 'decider' | 'roundsMax' | 'ask'> {
  readonly file?: string;
  readonly text?: string;
  readonly task?: string;
  readonly mediaType?: string;
  /** Absolute. */
  readonly workspace: string;
  readonly checks: readonly string[];
  readonly whenClean?: ExchangeTerms['whenClean'];
}

/** Opens an exchange, or refuses it whole: nothing of a refused one is stored, and nobody is asked. */
export async function beginExchange(
  world: OrderWorld,
  request: ExchangeRequest,
): Promise<{ readonly id: string } | Refusal> {
  const reviewerTerms = decideReviewers(world, request);
  if (isRefusal(reviewerTerms)) return reviewerTerms;
  const named = await subjectOf(world, request);
  if (isRefusal(named)) return named;
  const open = await refuseOpenReview(world, named.workspace);
  if (open) return open;
  const { reviewers, fixer, decider, roundsMax, ask, checks, whenClean = null } = request;
  const terms = { ...named, reviewers, reviewerTerms, fixer, decider, roundsMax, ask, checks, whenClean };
  return await keepFact(world.ledger, 'exchange-opened', { command: openExchange, facts: terms });
}

function decideReviewers(
  world: OrderWorld,
  { reviewers, fixer, roundsMax }: ExchangeRequest,
): readonly ReviewerTerms[] | Refusal {
  if (reviewers.length === 0) return refuse('invalid_argument', 'no reviewer is named', '/from');
  if (reviewers.length > FEEDBACK_AT_ONCE_MAX)
    return refuse('invalid_argument', `at most ${FEEDBACK_AT_ONCE_MAX} reviewers are asked at once`, '/from');
  if (roundsMax < 1 || roundsMax > FEEDBACK_ROUNDS_MAX)
    return refuse('invalid_argument', `an exchange has 1 to ${FEEDBACK_ROUNDS_MAX} rounds`, '/rounds');
  if (new Set(reviewers).size < reviewers.length)
    return refuse('invalid_argument', 'a reviewer is named twice', '/from');
  const own = fixer !== null && reviewers.includes(fixer);
  if (own) return { ...refuse('invalid_argument', `${fixer} cannot review its own work`, '/from'), hint: OTHER };
  const decided: ReviewerTerms[] = [];
  for (const name of reviewers) {
    const terms = decideReviewer(world, name);
    if (isRefusal(terms)) return terms;
    decided.push(terms);
  }
  // The fixing agent gets an order of its own in each round, which is decided then.
  const fixing = fixer === null ? null : findReviewer(world, fixer);
  return isRefusal(fixing) ? fixing : decided;
}

const OTHER = 'name another agent: baton agents lists them';

type NamedSubject = Pick<ExchangeTerms, 'subject' | 'workspace'>;

async function subjectOf(world: OrderWorld, request: ExchangeRequest): Promise<NamedSubject | Refusal> {
  const { file, text, task, workspace, fixer, mediaType } = request;
  if (!isAbsolute(workspace)) return refuse('invalid_argument', 'the workspace must be an absolute path', '/workspace');
  if (task !== undefined) return await workSubject(world, task, request);
  if (file !== undefined) return await fileSubject(file, request);
  const content = text ?? '';
  if (content.trim() === '') return refuse('invalid_argument', 'there is nothing to review', '/text');
  if (fixer !== null) {
    const refusal = refuse('invalid_argument', 'an agent can change a file or the work of a task, not a text', '/fix');
    return { ...refusal, hint: 'put the text into a file, commit it, and name that' };
  }
  return { subject: { kind: 'text', content, mediaType: mediaType ?? 'text/markdown' }, workspace };
}

async function fileSubject(
  file: string,
  { workspace, mediaType, fixer }: ExchangeRequest,
): Promise<NamedSubject | Refusal> {
  const whole = isAbsolute(file) ? file : join(workspace, file);
  const content = readArtifact(whole, null);
  if (isRefusal(content)) return content;
  if (content.trim() === '') {
    const refusal = refuse('invalid_argument', `${file} is empty: there is nothing to review`, '/file');
    return { ...refusal, hint: 'write something into it, or name another file' };
  }
  const folder = isWithin(workspace, whole) ? workspace : dirname(whole);
  const subject: ExchangeSubject = {
    kind: 'file',
    path: relative(folder, whole),
    mediaType: mediaType ?? mediaTypeOf(whole, content),
  };
  const refusal = fixer === null ? null : await refuseUncommitted(whole);
  return refusal ?? { subject, workspace: folder };
}

/** A worktree has committed files only: a change of another version would not fit this one. */
async function refuseUncommitted(file: string): Promise<Refusal | null> {
  const repository = findRepository(dirname(file));
  if (repository === null) {
    const refusal = refuse(
      'invalid_argument',
      'an agent changes files in a worktree, and there is no git here',
      '/fix',
    );
    return { ...refusal, hint: 'git init, and commit the file; or ask for no fix' };
  }
  const args = ['status', '--porcelain', '--ignored', '--untracked-files=all', '--', file];
  const { stdout } = await git({ gitDir: repository.gitDir, workTree: repository.root }, { args });
  if (stdout.length === 0) return null;
  const refusal = refuse('invalid_argument', `${basename(file)} differs from the last commit`, '/file');
  return { ...refusal, hint: 'commit it first: agents change committed files, in a worktree; or ask for no fix' };
}

async function workSubject(
  world: OrderWorld,
  task: string,
  { reviewers }: ExchangeRequest,
): Promise<NamedSubject | Refusal> {
  const work = leftWork(world.ledger.read, task);
  if (isRefusal(work)) return work;
  const author = authorsOf(work).find((name) => reviewers.includes(name));
  if (author !== undefined) {
    const refusal = refuse(
      'invalid_argument',
      `${author} did the work of ${work.task.id} and cannot review it`,
      '/from',
    );
    return { ...refusal, hint: OTHER };
  }
  const diff = await diffOf(world, work, 'none');
  if (isRefusal(diff)) return diff;
  return { subject: { kind: 'task', taskId: work.task.id }, workspace: work.execution.order.workspaceRoot };
}

/** Every agent that worked on a task, in any round. */
export function authorsOf({ execution, earlier }: LeftWork): readonly string[] {
  const agents = [execution, ...earlier()].flatMap(({ attempts }) => attempts.flatMap(({ agent }) => agent ?? []));
  return [...new Set(agents)];
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.toml': 'application/toml',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.html': 'text/html',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.cjs': 'text/javascript',
  '.sql': 'application/sql',
  '.sh': 'application/x-sh',
};

/** By its ending; JSON that is none is reviewed as text (afp:content). */
function mediaTypeOf(file: string, content: string): string {
  const type = MEDIA_TYPES[extname(file).toLowerCase()] ?? 'text/plain';
  if (type !== 'application/json') return type;
  return readJson(content).kind === 'value' ? type : 'text/plain';
}
