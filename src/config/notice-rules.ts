import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { NOTICE_KINDS } from '../domain/notice/notice.ts';
import { text } from '../protocols/fields.ts';
import type { Issue } from '../protocols/issue.ts';

const rule = z.object({
  on: z.array(z.enum(NOTICE_KINDS)).min(1),
  /** By notify-send; where that is missing, the terminal rings. */
  desktop: z.boolean().optional(),
  bell: z.boolean().optional(),
  /** A program and its arguments; the notice is its standard input and in BATON_NOTICE_… variables. */
  command: z.array(text()).min(1).optional(),
  webhook: text().optional(),
  /** The secret that signs the bodies for the webhook. */
  secret_file: text().optional(),
});

type Rule = z.infer<typeof rule>;

/** The places that are told of some kinds of news. */
export const noticeRules = z.array(rule);

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A rule names a place; a webhook is encrypted and signed. */
export function noticesAreWhole({ notify = [] }: { readonly notify?: readonly Rule[] | undefined }): readonly Issue[] {
  return notify.flatMap(({ desktop, bell, command, webhook, secret_file: secretFile }, at): Issue[] => {
    const path = ['notify', at];
    if (!desktop && !bell && !command && webhook === undefined)
      return [{ path, kind: 'not-allowed', because: 'it names no place: desktop, bell, command or webhook' }];
    const [program = '/'] = command ?? [];
    if (program.includes('/') && !isAbsolute(program))
      return [{ path: [...path, 'command', 0], kind: 'bad-format', format: 'whole-path', got: program }];
    if (webhook === undefined) return [];
    const url = URL.canParse(webhook) ? new URL(webhook) : null;
    const isPlain = url?.protocol === 'http:' && LOOPBACK.has(url.hostname);
    if (url?.protocol !== 'https:' && !isPlain)
      return [{ path: [...path, 'webhook'], kind: 'not-allowed', because: 'it is no https address' }];
    if (secretFile === undefined)
      return [{ path: [...path, 'secret_file'], kind: 'needed-because', because: 'a webhook is signed' }];
    return isAbsolute(secretFile)
      ? []
      : [{ path: [...path, 'secret_file'], kind: 'bad-format', format: 'whole-path', got: secretFile }];
  });
}
