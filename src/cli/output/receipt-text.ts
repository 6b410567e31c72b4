import type { Look } from './look.ts';
import { secondText } from './time-text.ts';
import { visible } from './visible.ts';

interface ValidReceipt {
  readonly file: string;
  readonly verdict: 'valid';
  readonly keyId: string;
  readonly task: string;
  readonly run: string;
  readonly agent: string;
  readonly endedAt: string;
  readonly signal: string;
  readonly isChecked: boolean;
  readonly isSandboxed: boolean;
  readonly checks: { readonly passed: number; readonly failed: number; readonly couldNotRun: number };
  readonly files: number;
  readonly claimed: string | null;
}

interface BrokenReceipt {
  readonly file: string;
  readonly verdict: 'broken';
  readonly path: string;
  readonly reason: string;
}

export type VerifiedReceipt = ValidReceipt | BrokenReceipt;

export function receiptText(receipt: ValidReceipt, look: Look): string {
  const { task, run, agent, endedAt, signal, isChecked, isSandboxed, checks, files, claimed, keyId } = receipt;
  const results = [
    `${checks.passed} passed`,
    `${checks.failed} failed`,
    ...(checks.couldNotRun === 0 ? [] : [`${checks.couldNotRun} could not run`]),
  ];
  const words = { SUCCESS: 'done', PARTIAL_SUCCESS: 'partly done', FAILURE: 'failed', ABORTED: 'aborted' };
  const work = words[signal as keyof typeof words] ?? signal;
  const claim = claimed === null ? '' : `; the agent claimed: ${words[claimed as keyof typeof words] ?? claimed}`;
  return [
    `${look.good('valid')}: ${visible(task)}, by ${visible(agent)}, ended ${secondText(endedAt)}`,
    `  work     ${visible(work)}, ${isChecked ? 'checked' : 'unchecked'}, ${isSandboxed ? 'sandboxed' : 'not sandboxed'}${visible(claim)}`,
    `  checks   ${results.join(', ')}`,
    `  files    ${files}, by their SHA-256`,
    `  run      ${visible(run)}`,
    `  key      ${keyId}`,
  ].join('\n');
}

export function brokenReceiptText({ file, path, reason }: BrokenReceipt, look: Look): string {
  return `${look.bad('broken')}: ${visible(file)}: ${visible(path === '' ? reason : `${path} ${reason}`)}`;
}
