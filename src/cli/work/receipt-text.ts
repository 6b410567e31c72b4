import { claimOfSignal, SIGNALS, verdictOfSignal } from '../../domain/order/record-words.ts';
import type { Style } from '../output/style.ts';
import { secondText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

interface IntactReceipt {
  readonly file: string;
  readonly verdict: 'valid' | 'unknown_key' | 'stale';
  readonly keyId: string;
  readonly signer: 'this-node' | 'known' | 'unknown';
  /** The data folder of the node, or the name of the key in the configuration. */
  readonly signerName: string | null;
  readonly isSignerFolder: boolean;
  /** A node of the federation, whose key is pinned. */
  readonly isSignerNode: boolean;
  readonly task: string;
  readonly run: string;
  readonly agent: string;
  readonly endedAt: string;
  readonly signal: string;
  readonly isChecked: boolean;
  readonly isSandboxed: boolean;
  readonly checks: { readonly passed: number; readonly failed: number; readonly couldNotRun: number };
  readonly files: number;
  /** Files that were checked and are not in the receipt. */
  readonly filesLeftOut: number;
  /** Files that are not as they were checked; null if the workspace is not here. */
  readonly staleFiles: readonly string[] | null;
  readonly workspace: string;
  readonly claimed: string | null;
}

interface BrokenReceipt {
  readonly file: string;
  readonly verdict: 'broken';
  readonly path: string;
  readonly reason: string;
}

export type VerifiedReceipt = IntactReceipt | BrokenReceipt;

export function receiptText(receipt: VerifiedReceipt, style: Style): string {
  if (receipt.verdict === 'broken') return brokenText(receipt, style);
  const { task, run, agent, endedAt, signal, isChecked, isSandboxed, checks, claimed } = receipt;
  const results = [
    `${checks.passed} passed`,
    `${checks.failed} failed`,
    ...(checks.couldNotRun === 0 ? [] : [`${checks.couldNotRun} could not run`]),
  ];
  const work = verdictOfSignal(signal, signal === SIGNALS.unchecked && !isChecked) ?? signal;
  const claim = claimed === null ? '' : `; the agent claimed: ${claimOfSignal(claimed) ?? claimed}`;
  return [
    `${headline(receipt, style)}: ${visible(task)}, by ${visible(agent)}, ended ${secondText(endedAt)}`,
    `  work     ${visible(work)}, ${isSandboxed ? 'sandboxed' : 'not sandboxed'}${visible(claim)}`,
    `  checks   ${results.join(', ')}`,
    `  files    ${filesText(receipt)}`,
    `  run      ${visible(run)}`,
    `  signed   ${signerText(receipt)}`,
    `  key      ${visible(receipt.keyId)}`,
  ].join('\n');
}

function headline({ verdict }: IntactReceipt, style: Style): string {
  switch (verdict) {
    case 'valid':
      return style.good('valid');
    case 'stale':
      return style.open('stale');
    case 'unknown_key':
      return style.open('unknown key');
  }
}

function signerText({ signer, signerName, isSignerFolder, isSignerNode }: IntactReceipt): string {
  if (signer === 'this-node') return 'by this node';
  if (signer === 'unknown') return 'by a key that is neither yours nor known: nobody vouches for what it says';
  const name = visible(signerName ?? '');
  if (isSignerNode) return `by the node ${name}, a known key`;
  return isSignerFolder ? `by another data folder of this machine: ${name}` : `by ${name}, from known_keys`;
}

const STALE_SHOWN_MAX = 5;

function filesText(receipt: IntactReceipt): string {
  const { filesLeftOut } = receipt;
  const more = filesLeftOut === 0 ? '' : `; ${filesLeftOut} more are not in the receipt and cannot be compared`;
  return comparedText(receipt) + more;
}

function comparedText({ files, staleFiles, workspace }: IntactReceipt): string {
  if (staleFiles === null) return `${files}, not compared: ${visible(workspace)} is not on this machine`;
  if (staleFiles.length === 0) return `${files}, as they were checked`;
  return `${staleFiles.length} of ${files} changed since they were checked: ${staleNames(staleFiles)}`;
}

/** The first of the files that changed since, and the number of the others. */
function staleNames(staleFiles: readonly string[]): string {
  const more = staleFiles.length > STALE_SHOWN_MAX ? ` and ${staleFiles.length - STALE_SHOWN_MAX} more` : '';
  return staleFiles.slice(0, STALE_SHOWN_MAX).map(visible).join(', ') + more;
}

/** For the line of a receipt; empty if nothing changed since. */
export function staleText(staleFiles: readonly string[], style: Style): string {
  return staleFiles.length === 0 ? '' : style.open(` (stale: ${staleNames(staleFiles)} changed since)`);
}

export function whatToDoNext(receipt: VerifiedReceipt): string | null {
  switch (receipt.verdict) {
    case 'unknown_key':
      return `if you know whose key it is: baton config set known_keys.NAME ${receipt.keyId} --mine`;
    case 'stale':
      return `next: baton verify ${visible(receipt.task)}  run its checks on the files as they are now`;
    default:
      return null;
  }
}

function brokenText({ file, path, reason }: BrokenReceipt, style: Style): string {
  return `${style.bad('broken')}: ${visible(file)}: ${visible(path === '' ? reason : `${path} ${reason}`)}`;
}
