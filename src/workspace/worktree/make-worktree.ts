import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { splitCommand } from '../../domain/words/split-command.ts';
import { identityLines } from '../../domain/work/git-identity.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { type GitPlace, git, gitLine } from '../git.ts';
import { objectFormat, readRepositorySettings } from '../repository-settings.ts';
import { NO_BRANCH, objectsOf } from '../shadow/private-repository.ts';
import { type IncludedFiles, includeFiles } from './include-files.ts';

export interface WorktreeRequest {
  readonly repository: Repository;
  /** The folder to create, outside of the repository's files. */
  readonly folder: string;
  /** The commit to start from: the user's HEAD. */
  readonly head: string;
  /** `worktree:` of the configuration. */
  readonly include: readonly string[];
  readonly setup: readonly string[];
  readonly isShellAllowed: boolean;
}

export interface Worktree extends IncludedFiles {
  readonly kind: 'worktree';
  readonly root: string;
  readonly head: string;
  /** For the sandbox: the worktree in the place of the repository, and its objects where the worktree looks for them. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  /** To be granted with the mounts, and never for writing: the objects are the person's. */
  readonly readPaths: readonly string[];
  /** To be run in it, in this order, before the agent. */
  readonly setup: readonly (readonly string[])[];
}

/** The sandbox shows the repository's objects here, because the worktree takes the path of the repository. */
export const OBJECTS_SHOWN_AT = '/baton/objects';
const COPIED_SETTINGS = ['filemode', 'symlinks', 'ignorecase', 'precomposeunicode', 'autocrlf', 'eol', 'safecrlf'];

/**
 * A second checkout for a second run. It is a repository of its own that borrows the person's objects: what its agent
 * commits, branches or breaks stays in it, and the person's repository does not even know of it.
 */
export async function makeWorktree(request: WorktreeRequest): Promise<Worktree | Refusal> {
  const { repository, folder, head } = request;
  const setup = splitAll(request);
  if (isRefusal(setup)) return setup;
  if (existsSync(folder)) return refuse('file_exists', `${folder} is there already`);
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  await makeGitFolder(repository, draft, head);
  const place: GitPlace = {
    gitDir: join(draft, '.git'),
    workTree: draft,
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objectsOf(repository)) },
  };
  await git(place, { args: ['read-tree', head] });
  await git(place, { args: ['checkout-index', '--all', '--force', '--index'] });
  const included = await includeFiles(repository.root, draft, request.include);
  if (isRefusal(included)) {
    rmSync(draft, { recursive: true, force: true });
    return included;
  }
  renameSync(draft, folder);
  const shown = { from: objectsOf(repository), at: OBJECTS_SHOWN_AT };
  const mounts = [{ from: folder, at: repository.root }, shown];
  return { kind: 'worktree', root: folder, head, mounts, readPaths: [OBJECTS_SHOWN_AT], setup, ...included };
}

/** Whether a commit has a folder: one that git ignores, or that is empty, is in no worktree. */
export async function hasFolder({ root, gitDir }: Repository, commit: string, folder: string): Promise<boolean> {
  if (folder === root) return true;
  const args = ['ls-tree', '-d', '--full-tree', '--', commit, relative(root, folder)];
  return (await gitLine({ gitDir, workTree: root }, { args, exitCodes: [0, 128] })) !== '';
}

function splitAll({ setup, isShellAllowed }: WorktreeRequest): (readonly string[])[] | Refusal {
  const commands: (readonly string[])[] = [];
  for (const text of setup) {
    const argv = splitCommand(text, { isShellAllowed });
    if (isRefusal(argv)) return argv;
    commands.push(argv);
  }
  return commands;
}

/** Creates the git folder of a checkout that borrows the objects of a repository; without a commit where `head` is null. */
export async function makeGitFolder(repository: Repository, root: string, head: string | null): Promise<void> {
  const gitDir = join(root, '.git');
  for (const name of ['refs/heads', 'info', 'objects/info', 'objects/pack', 'hooks']) {
    mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
  }
  writeFileSync(join(gitDir, 'HEAD'), head === null ? NO_BRANCH : `${head}\n`);
  writeFileSync(join(gitDir, 'config'), await configText(repository));
  writeFileSync(join(gitDir, 'packed-refs'), await refsText(repository));
  writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), alternatesText(repository));
  for (const name of ['shallow', 'info/exclude']) {
    const file = join(repository.commonDir, name);
    if (existsSync(file)) copyFileSync(file, join(gitDir, name));
  }
}

/** Copies the identity and the settings that decide what files of a checkout look like, and none that name a command or a path. */
async function configText(repository: Repository): Promise<string> {
  const settings = await readRepositorySettings({ gitDir: repository.gitDir, workTree: repository.root });
  const format = objectFormat(settings);
  const lines = ['[core]', `\trepositoryformatversion = ${format === 'sha1' ? 0 : 1}`, '\tbare = false'];
  for (const name of COPIED_SETTINGS) {
    const value = settings.own.get(`core.${name}`) ?? '';
    if (/^[a-z]+$/i.test(value)) lines.push(`\t${name} = ${value}`);
  }
  if (format !== 'sha1') lines.push('[extensions]', `\tobjectFormat = ${format}`);
  const [name = '', email = ''] = ['user.name', 'user.email'].map((setting) => settings.own.get(setting));
  lines.push(...identityLines({ name, email }));
  return `${lines.join('\n')}\n`;
}

/** Branches and tags, so that an agent can compare; refs of Baton's own are left out. */
async function refsText(repository: Repository): Promise<string> {
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags', 'refs/remotes'];
  return `${await gitLine(place, { args })}\n`;
}

/** One line for the sandbox, and one for programs outside of it. */
function alternatesText(repository: Repository): string {
  const objects = objectsOf(repository);
  const lines = [OBJECTS_SHOWN_AT, ...(isWithin(repository.root, objects) ? [objects] : [])];
  return `${lines.map((line) => (/[\n"]/.test(line) ? JSON.stringify(line) : line)).join('\n')}\n`;
}
