import type { NetworkLevel } from '../../domain/access.ts';
import type { FinalSignal, MadeCheck, SandboxName } from '../../domain/execution/fact.ts';

export const RECEIPT_VERSION = 1;

/** A file as it was when the checks were made. */
export interface CheckedFile {
  /** Relative to the workspace, or absolute where it lies outside of it. */
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds. */
  readonly mtimeMs: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** What a run did, as Baton found it. */
export interface ReceiptFacts {
  /** TASK-… */
  readonly task: string;
  readonly run: string;
  readonly agent: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workspace: string;
  /** Shadow commits; null without git. */
  readonly commitBefore: string | null;
  readonly commitAfter: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly sandbox: SandboxName;
  readonly network: NetworkLevel;
  readonly checksBefore: readonly MadeCheck[];
  readonly checksAfter: readonly MadeCheck[];
  readonly files: readonly CheckedFile[];
  /** Files beyond the most that are kept. */
  readonly filesLeftOut: number;
  readonly cost: {
    readonly usd: number;
    readonly tokens: number;
    /** How finely the agent reports it: never, once at its end, or as it goes. */
    readonly reported: 'never' | 'at-end' | 'as-it-goes';
  };
  readonly verdict: { readonly signal: FinalSignal; readonly isChecked: boolean; readonly message: string };
  /** What the agent says of its work: a claim, and nothing more. */
  readonly claim: { readonly signal: FinalSignal | null; readonly message: string } | null;
  readonly batonVersion: string;
}

/** The facts, who signs them, and the signature over all but itself. */
export interface Receipt extends ReceiptFacts {
  readonly version: typeof RECEIPT_VERSION;
  readonly isSandboxed: boolean;
  readonly signer: {
    readonly algorithm: 'Ed25519';
    /** base64url of 32 bytes. */
    readonly publicKey: string;
    /** SHA-256 of these bytes, in hexadecimal. */
    readonly keyId: string;
  };
  /** base64url of 64 bytes. */
  readonly signature: string;
}
