import { createHash, createHmac } from 'node:crypto';
import type { Notice } from '../domain/notice/notice.ts';
import { NOTICE_MS_MAX, NOTICE_SECRET_BYTES_MAX } from '../domain/session/session-limits.ts';
import type { NoticeRule } from '../orders/run-settings.ts';
import type { Clock } from '../platform/clock.ts';
import { postText } from '../platform/post-text.ts';
import { runProgram } from '../platform/process/run-program.ts';
import { ringBell } from '../platform/terminal.ts';
import { readPlainFile } from '../workspace/files/read-plain-file.ts';

/** How a delivery went. */
export type NoticeDelivery =
  | { readonly kind: 'told' }
  | { readonly kind: 'failed'; readonly error: string; readonly isLasting: boolean };

const TOLD: NoticeDelivery = { kind: 'told' };

interface DeliveryWorld {
  readonly clock: Clock;
  /** The environment of the user who started the node; read by name. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The same place keeps its position although other kinds are asked for. */
export function keyOfRule({ place, target }: NoticeRule): string {
  return createHash('sha256')
    .update(JSON.stringify([place, target]))
    .digest('hex')
    .slice(0, 16);
}

/** For people. A web address may contain a token, so that its host alone is named. */
export function nameOfRule({ place, target }: NoticeRule): string {
  if (place === 'webhook') return `webhook ${new URL(target[0] ?? '').host}`;
  return place === 'command' ? `command ${target[0]}` : place;
}

/** Delivers a notice to one place. Its text is an argument, standard input or a variable: no shell ever reads it. */
export function deliverNotice(
  world: DeliveryWorld,
  { rule, notice, signal }: { readonly rule: NoticeRule; readonly notice: Notice; readonly signal: AbortSignal },
): Promise<NoticeDelivery> {
  switch (rule.place) {
    case 'desktop':
      return toDesktop(world, notice, signal);
    case 'bell':
      return Promise.resolve(ringBell() ? TOLD : failed('there is no terminal', true));
    case 'command':
      return toCommand(rule, notice, signal);
    case 'webhook':
      return toWebhook(world, { rule, notice, signal });
  }
}

function failed(error: string, isLasting = false): NoticeDelivery {
  return { kind: 'failed', error, isLasting };
}

/** The ways to the desktop of the user. */
const DESKTOP_VARIABLES = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/** A desktop that cannot be reached is not tried again: the terminal rings, where there is one. */
async function toDesktop({ environment }: DeliveryWorld, notice: Notice, signal: AbortSignal): Promise<NoticeDelivery> {
  const argv = ['notify-send', '--app-name=Baton', '--', notice.title, notice.texts.join('\n')];
  const env = Object.fromEntries(DESKTOP_VARIABLES.map((name) => [name, environment[name]]));
  const ended = await runProgram({ argv, cwd: '/', env, timeoutMs: NOTICE_MS_MAX, outputBytesMax: 0, signal });
  if (ended.exitCode === 0) return TOLD;
  const why = ended.startError ? 'notify-send is not installed' : `notify-send failed: ${ended.stderr.trim()}`;
  return ringBell() ? TOLD : failed(why, true);
}

async function toCommand({ target }: NoticeRule, notice: Notice, signal: AbortSignal): Promise<NoticeDelivery> {
  const env = {
    BATON_NOTICE_ID: notice.id,
    BATON_NOTICE_KINDS: notice.kinds.join(','),
    BATON_NOTICE_SUBJECT: notice.subject,
    BATON_NOTICE_TITLE: notice.title,
    BATON_NOTICE_TEXT: notice.texts.join('; '),
  };
  const input = Buffer.from(`${bodyOf(notice)}\n`);
  const call = { argv: target, cwd: '/', env, input, timeoutMs: NOTICE_MS_MAX, outputBytesMax: 0, signal };
  const { exitCode, startError, isTimedOut, stderr } = await runProgram(call);
  if (exitCode === 0) return TOLD;
  if (startError)
    return failed(`it cannot be started (${(startError as NodeJS.ErrnoException).code ?? startError.message})`);
  return failed(
    isTimedOut ? `it took more than ${NOTICE_MS_MAX / 1_000} s` : `it ended with ${exitCode}: ${stderr.trim()}`,
  );
}

/** Answers that a repeated call would get again. */
const LASTING: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 410, 413, 415, 422]);

interface Posting {
  readonly rule: NoticeRule;
  readonly notice: Notice;
  readonly signal: AbortSignal;
}

async function toWebhook({ clock }: DeliveryWorld, { rule, notice, signal }: Posting): Promise<NoticeDelivery> {
  const secret = readPlainFile(rule.secretFile ?? '', NOTICE_SECRET_BYTES_MAX)?.trim() ?? '';
  if (secret === '') return failed(`${rule.secretFile} has no secret`);
  const text = bodyOf(notice);
  const seconds = Math.floor(clock.now().wallMs / 1_000);
  const headers = { 'Baton-Notice': notice.id, 'Baton-Signature': signatureOf({ secret, seconds, text }) };
  const answer = await postText({ url: rule.target[0] ?? '', text, headers, timeoutMs: NOTICE_MS_MAX, signal });
  if (answer.kind === 'unreached') return failed(answer.error);
  const { status } = answer;
  return status >= 200 && status < 300 ? TOLD : failed(`it answered ${status}`, LASTING.has(status));
}

interface SignedText {
  readonly secret: string;
  readonly seconds: number;
  readonly text: string;
}

/** HMAC-SHA-256 over the time, a dot and the body: an old message cannot be sent again as a new one. */
function signatureOf({ secret, seconds, text }: SignedText): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')}`;
}

function bodyOf({ id, kinds, subject, title, texts, task, session, at }: Notice): string {
  return JSON.stringify({ id, kinds, subject, title, texts, task, session, at: new Date(at).toISOString() });
}
