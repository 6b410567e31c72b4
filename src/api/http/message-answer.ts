import { REFUSALS, type RefusalCode } from '../../domain/refusal.ts';
import { notText } from '../../protocols/read-message.ts';
import type { SendAnswer } from '../contract.ts';
import { HTTP_STATUS } from './http-status.ts';

/** For bytes that are no text. */
export function unreadableAnswer(): SendAnswer {
  const { verdict } = notText(null);
  const { code, errors } = verdict.verdict === 'malformed' ? verdict : { code: 'invalid_json', errors: [] };
  return { verdict: 'malformed', code, errors, hint: REFUSALS.invalid_json.hint, events: [], task: null };
}

/** 200 applied, 409 refused by the state of things, 422 malformed, 413 too large, 415 foreign. */
export function answerStatus({ verdict, code }: SendAnswer): number {
  if (verdict === 'accepted') return 200;
  if (verdict === 'foreign') return 415;
  const known = code !== null && Object.hasOwn(HTTP_STATUS, code) ? HTTP_STATUS[code as RefusalCode] : null;
  if (verdict === 'malformed') return known === 413 ? 413 : 422;
  return known === 507 ? 507 : 409;
}
