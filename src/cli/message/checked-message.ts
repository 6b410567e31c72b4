import type { Problem, ProtocolName, Warning } from '../../protocols/codec.ts';
import type { ReadMessage } from '../../protocols/read-message.ts';
import { whyUnreadable } from '../read-input.ts';

/** One message, judged: the shape of a line of `baton check --json`. */
export interface CheckedMessage {
  readonly file: string;
  /** The line in a file with one message a line. */
  readonly line?: number;
  readonly protocol: ProtocolName | null;
  readonly kind: string | null;
  /** Refused: the file could not be read. */
  readonly verdict: 'accepted' | 'malformed' | 'foreign' | 'refused';
  readonly code: string | null;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Warning[];
  /** Only with a refusal. */
  readonly hint?: string;
}

type Place = Pick<CheckedMessage, 'file' | 'line'>;

export function toChecked(place: Place, { protocol, verdict }: ReadMessage): CheckedMessage {
  return {
    ...place,
    protocol,
    kind: verdict.verdict === 'foreign' ? null : verdict.kind,
    verdict: verdict.verdict,
    code: verdict.verdict === 'malformed' ? verdict.code : null,
    errors: verdict.verdict === 'malformed' ? verdict.errors : [],
    warnings: verdict.warnings,
  };
}

/** A file that cannot be read, by the error code of the system. */
export function unreadableFile(file: string, systemCode: string): CheckedMessage {
  return {
    file,
    protocol: null,
    kind: null,
    verdict: 'refused',
    code: 'unreadable_file',
    errors: [{ path: '', message: `cannot read ${file}: ${whyUnreadable(systemCode)}` }],
    warnings: [],
    hint: HINTS[systemCode]?.(file) ?? 'check the file',
  };
}

const HINTS: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: () => 'check the path; - reads standard input',
  ENOTDIR: () => 'check the path',
  EISDIR: (file) => `baton check ${file}/*`,
  EACCES: (file) => `check its permissions: ls -l ${file}`,
};
