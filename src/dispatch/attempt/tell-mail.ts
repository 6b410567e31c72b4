import { mailLines } from '../../domain/agent/agent-mail.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { RunningAttempt } from './attempt.ts';
import type { RunTalk } from './run-talk.ts';

/** Messages for a running agent are looked for this often. */
export const MAIL_LOOK_MS = 1_000;

/** Tells a running agent the messages that come for it. They are its own before it hears them, so that a crash tells none twice. */
export function mailTeller(
  mail: RunTalk['mail'],
  { holder, tell }: { readonly holder: RunHolder; readonly tell: RunningAttempt['tell'] },
): () => Promise<void> {
  let hears = true;
  return async () => {
    const taken = hears ? await mail.take(holder, 'stream') : [];
    if (taken.length === 0) return;
    hears = tell({ kind: 'words', text: mailLines(taken).join('\n') });
    if (!hears) await mail.putBack(holder, taken);
  };
}
