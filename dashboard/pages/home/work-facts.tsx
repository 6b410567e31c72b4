import type { WorkSummary } from '../../../src/api/overview/overview-contract.ts';
import { counted } from '../../parts/format.ts';
import { Verdict, verdictOf } from '../../parts/verdict.tsx';

/** The verdict in short, the size of the work, and what deserves a second look. */
export function WorkFacts({ work }: { readonly work: WorkSummary }) {
  const { checks, files, lines, judgingFiles } = work;
  const { kind, word } = verdictOf(work);
  const passed = kind === 'checked' ? counted(checks.total, 'check') : word;
  const failed = checks.total === 0 ? 'no check ran' : `${checks.passed} of ${checks.total} checks`;
  return (
    <>
      <Verdict kind={kind} word={kind === 'failed' ? failed : passed} />
      <Size lines={lines} files={files} />
      {judgingFiles.length > 0 && (
        <span class="warning" title={judgingFiles.join('\n')}>
          ! {counted(judgingFiles.length, 'test file')} changed
        </span>
      )}
    </>
  );
}

/** The size of work in the words of the terminal. */
export function sizeText({ lines, files }: Pick<WorkSummary, 'lines' | 'files'>): string {
  const count = counted(files, 'file');
  return lines === null ? count : `+${lines.added} -${lines.removed} in ${count}`;
}

/** `+120 −8 in 4 files`. */
export function Size({ lines, files }: Pick<WorkSummary, 'lines' | 'files'>) {
  if (files === 0) return <span class="size">no files</span>;
  return (
    <span class="size">
      {lines !== null && (
        <>
          <span class="added">+{lines.added}</span> <span class="removed">−{lines.removed}</span> in{' '}
        </>
      )}
      {counted(files, 'file')}
    </span>
  );
}
