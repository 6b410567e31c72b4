import type { DiffAnswer, OrderReport, VerifyAnswer, WorkAnswer } from '../../api/order/order-contract.ts';
import { judgesText } from '../../domain/execution/findings.ts';
import { besideTexts } from '../../domain/execution/work-fact.ts';
import { counted, grouped } from '../../domain/words/counted.ts';
import { shellWord } from '../call-parts.ts';
import type { Style } from '../output/style.ts';
import { visible, visibleLines } from '../output/visible.ts';
import { overlapText } from '../review/attention-text.ts';

/** The changed files and what became of git itself, then the diff. */
export function diffPage({ files, git, ignored, text }: DiffAnswer, style: Style, isBrief: boolean): string {
  const beside = [...git, ...ignored].map(visible);
  if (files.length === 0) return beside.length === 0 ? 'nothing changed' : beside.join('\n');
  const width = Math.max(...files.map(({ path }) => visible(path).length));
  const stat = files.map(({ path, status, added, removed }) => {
    const counts = added === null ? 'binary' : `${style.good(`+${added}`)} ${style.bad(`-${removed}`)}`;
    return `${visible(path).padEnd(width)}  ${status.padEnd(8)}  ${counts}`;
  });
  if (isBrief) return [...stat, ...beside].join('\n');
  return [
    ...stat,
    ...beside,
    '',
    ...visibleLines(text.trimEnd())
      .split('\n')
      .map((line) => colourOf(line, style)),
  ].join('\n');
}

function colourOf(line: string, style: Style): string {
  if (/^(diff|index|---|\+\+\+|new file|deleted file|rename|similarity|old mode|new mode)/.test(line))
    return style.strong(line);
  if (line.startsWith('+')) return style.good(line);
  if (line.startsWith('-')) return style.bad(line);
  return line.startsWith('@@') ? style.faint(line) : line;
}

const FAILURES_SHOWN_MAX = 3;

/** Why the work of a task counts as failed; null for any other verdict. */
export function failureNote({ verdict, failures, summary }: OrderReport): string | null {
  if (verdict !== 'failed') return null;
  const [first, ...others] = failures;
  if (first === undefined) return `note: its work failed: ${visible(summary?.message ?? 'its report is missing')}`;
  const shown = failures.slice(0, FAILURES_SHOWN_MAX).map(({ id, message }) => visible(`${id}: ${message}`));
  const rest = failures.length > FAILURES_SHOWN_MAX ? `; and ${failures.length - FAILURES_SHOWN_MAX} more` : '';
  return `note: its ${others.length === 0 ? 'check' : 'checks'} failed: ${shown.join('; ')}${rest}`;
}

export function workText(done: string, work: WorkAnswer, style: Style): string {
  const { task, folder, files, branch, commit } = work;
  const where = branch === null ? '' : ` on the new branch ${style.strong(visible(branch))} (${commit?.slice(0, 12)})`;
  const beside = besideTexts(work).map(visible);
  if (files.length + beside.length === 0) {
    const nothing = done === 'discarded' ? 'its worktree was removed before, or was empty' : nothingText(done, work);
    return [`${style.strong(task)}: ${nothing}`, ...leftLines(work)].join('\n');
  }
  const count = [...(files.length === 0 ? [] : [counted(files.length, 'file')]), ...beside].join(', ');
  return [
    `${done} ${style.strong(task)}: ${count}${where} in ${visible(folder)}`,
    ...fileLines(files),
    ...ignoredLines(work, done),
    ...checkLines(work),
    ...keptLines(work),
    ...leftLines(work),
    ...work.overlaps.map((overlap) => style.open(visible(overlapText(overlap)))),
  ].join('\n');
}

/** Files that an undo could not put back are listed below it. */
function nothingText(done: string, { left }: WorkAnswer): string {
  return done === 'undone' && left.length > 0 ? 'nothing could be put back' : 'nothing had to be changed';
}

const SHOWN_MAX = 20;

/** One line a file; a long list is cut with the number of the others. */
export function fileLines(files: readonly string[], mark = ''): readonly string[] {
  const isLong = files.length > SHOWN_MAX + 1;
  const shown = isLong ? files.slice(0, SHOWN_MAX) : files;
  const rest = isLong ? [`  … and ${grouped(files.length - SHOWN_MAX)} more`] : [];
  return [...shown.map((file) => `  ${visible(file)}${mark}`), ...rest];
}

function checkLines({ ofChecks: [first, ...others] }: WorkAnswer): readonly string[] {
  if (first === undefined) return [];
  return [`  ${visible(first)}${others.length === 0 ? '' : ` and ${others.length} more`}, written by the checks`];
}

function ignoredLines({ folder, ignored, asideFolder, savedIgnored }: WorkAnswer, done: string): readonly string[] {
  const files = fileLines(ignored, ' (ignored by git)');
  if (asideFolder === null) return files;
  const whose = ignored.length === 0 ? 'for files of a nested repository the' : ignored.length === 1 ? 'its' : 'their';
  const aside = `  ${whose} state before the ${done === 'undone' ? 'undo' : 'apply'} is in ${visible(asideFolder)}`;
  const copies = savedIgnored.map((file) => ['cp', '-P', `${asideFolder}/${file}`, `${folder}/${file}`].map(shellWord));
  const count = counted(savedIgnored.length, 'ignored file');
  const back = copies.length === 0 ? [] : [`your changes of ${count} are saved; to bring them back:`];
  return [...files, aside, ...back, ...copies.map((words) => `  ${visible(words.join(' '))}`)];
}

/** Things that an undo left, and the commits that it took off a branch. */
function leftLines({ folder, left, keptCommits }: WorkAnswer): readonly string[] {
  return [
    ...keptCommits.map(
      ({ name, commit, nested }) =>
        `${visible(name)} was at ${commit}: git ${nested === undefined ? '' : visible(`-C ${shellWord(`${folder}/${nested}`)} `)}branch NAME ${commit.slice(0, 12)} keeps it`,
    ),
    ...(left.length === 0 ? [] : [`left as ${left.length === 1 ? 'it is' : 'they are'}:`]),
    ...left.map((one) => `  ${visible(one)}`),
  ];
}

function keptLines({ folder, keptAs, keptIn, saved }: WorkAnswer): readonly string[] {
  if (keptAs === null || saved.length === 0) return [];
  const objects = shellWord(/[:"]/.test(keptIn ?? '') ? JSON.stringify(keptIn) : (keptIn ?? ''));
  const restore = ['git', '-C', folder, 'restore', `--source=${keptAs}`, '--', ...saved].map(shellWord);
  const words = [`GIT_ALTERNATE_OBJECT_DIRECTORIES=${objects}`, ...restore];
  return [
    `your changes of ${counted(saved.length, 'file')} are saved; to bring them back:`,
    `  ${visible(words.join(' '))}`,
  ];
}

export function verifyPage({ task, isPassed, oldTests, results }: VerifyAnswer, style: Style): string {
  if (results.length === 0) return `${style.open('unchecked')}  ${task} has no checks`;
  const lines = results.flatMap(({ id, result, message, why = message, tail }) => {
    const isGood = result === 'passed';
    const line = `  ${isGood ? style.good('✓') : style.bad('✗')} ${visible(id)}${isGood ? '' : `: ${visible(why)}`}`;
    return isGood || tail.trim() === '' ? [line] : [line, style.faint(indented(tail))];
  });
  const old = oldTestsLines(oldTests, style);
  return [`${isPassed ? style.good('passed') : style.bad('failed')}  ${style.strong(task)}`, ...lines, ...old].join(
    '\n',
  );
}

/** A check that the work itself changed proves little by passing. */
function oldTestsLines(oldTests: VerifyAnswer['oldTests'], style: Style): readonly string[] {
  if (oldTests === null || oldTests.result === 'passed') return [];
  const files = visible(judgesText(oldTests));
  return oldTests.result === 'failed'
    ? [`  ${style.bad('✗')} the run passed only with ${files}`]
    : [`  ${style.open('○')} the checks could not be tried without ${files}: ${visible(oldTests.message)}`];
}

function indented(text: string): string {
  return visibleLines(text.trimEnd())
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n');
}
