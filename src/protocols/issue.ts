/** Object keys and array positions from the root of the message to an issue. */
export type Path = readonly (string | number)[];

/**
 * An error or a warning as data. Rules and schemas make issues; only explain-issue.ts turns them into sentences.
 * `code` overrides the codec's own code for this kind of message.
 */
export type Issue = { readonly path: Path; readonly code?: string } & IssueDetail;

export type IssueDetail =
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong-type'; readonly expected: string; readonly got: unknown }
  | { readonly kind: 'not-one-of'; readonly options: readonly string[]; readonly got: unknown }
  | { readonly kind: 'not-exactly'; readonly want: unknown; readonly got: unknown }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too-long'; readonly max: number; readonly unit: 'characters' | 'items'; readonly got?: number }
  | { readonly kind: 'too-few'; readonly min: number; readonly unit: 'items' }
  | { readonly kind: 'below'; readonly min: number; readonly exclusive: boolean; readonly got: unknown }
  | { readonly kind: 'above'; readonly max: number; readonly exclusive: boolean; readonly got: unknown }
  | { readonly kind: 'bad-format'; readonly format: FormatName; readonly got: unknown }
  | { readonly kind: 'unknown-field'; readonly known: readonly string[] }
  | { readonly kind: 'dropped-field' }
  | { readonly kind: 'forbidden-key' }
  | { readonly kind: 'bad-key'; readonly rule: string }
  | { readonly kind: 'not-allowed'; readonly because: string }
  | { readonly kind: 'needs-one-of'; readonly fields: readonly string[] }
  | { readonly kind: 'needed-because'; readonly because: string }
  | { readonly kind: 'advised'; readonly because: string }
  | { readonly kind: 'differs'; readonly from: string; readonly got: unknown; readonly want: unknown }
  | { readonly kind: 'repeated'; readonly got: unknown }
  | {
      readonly kind: 'over-limit';
      readonly what: string;
      readonly max: number;
      readonly unit: string;
      readonly got?: number;
    }
  | {
      readonly kind: 'near-limit';
      readonly what: string;
      readonly max: number;
      readonly unit: string;
      readonly got: number;
    }
  | { readonly kind: 'contradicts'; readonly what: string }
  | { readonly kind: 'unreadable'; readonly what: string; readonly detail: string }
  | { readonly kind: 'note'; readonly text: string };

/** Named formats, so that a sentence can describe a correct value. */
export type FormatName = keyof typeof FORMAT_EXAMPLES;

export const FORMAT_EXAMPLES = {
  instant: 'an RFC 3339 date-time like 2026-02-26T14:00:00Z',
  'instant-utc': 'an ISO 8601 UTC date-time that ends in Z, like 2026-02-26T14:00:00Z',
  uuid: 'a UUID like 0195c3a0-7e5e-7b1a-9c3e-2f6f1d0a4b11',
  'task-name': 'a task name like TASK-2026-02-09-057',
  'schema-version': 'three numbers like 2.0.2',
  'feedback-id': '8 to 128 characters of a-z, 0-9, dot, underscore and hyphen',
  'media-type': 'a media type like text/markdown',
  duration: 'a duration like 90, 15m, 8h or 2d',
  address: 'an IP address like 127.0.0.1, or localhost',
  'whole-path': 'a whole path, from / on',
  'agent-name': '1 to 64 letters, digits, dots, underscores or hyphens',
  'node-name': '1 to 64 letters, digits, underscores or hyphens',
  text: 'text',
} as const;

/** RFC 6901. */
export function pointer(path: Path): string {
  let out = '';
  for (const part of path) out += `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return out;
}
