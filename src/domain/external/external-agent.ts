import type { Expiry } from '../now.ts';

/** The rights that an invite can give to an external agent (runtime:scopes). */
export const SCOPES = [
  'message.read',
  'message.send',
  'task.read',
  'task.claim',
  'task.update',
  'task.complete',
  'status.read',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** The signatures that a proof may have. */
export const PROOF_ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384'];

/** An operation that an external agent may ask for. */
interface OperationSpec {
  readonly scope: Scope;
  /** It names a task, so a context token for that task allows it. */
  readonly isAboutTask: boolean;
  readonly effect: 'reads' | 'changes';
}

const reads = (scope: Scope, isAboutTask = false): OperationSpec => ({ scope, isAboutTask, effect: 'reads' });
const changes = (scope: Scope, isAboutTask = false): OperationSpec => ({ scope, isAboutTask, effect: 'changes' });

/** Every operation, with the one scope that allows it. No other operation exists for an external agent. */
export const OPERATIONS = {
  'status.read': reads('status.read'),
  'message.read': changes('message.read'),
  'message.send': changes('message.send'),
  'message.reply': changes('message.send'),
  'task.list': reads('task.read'),
  'task.read': reads('task.read', true),
  'task.claim': changes('task.claim', true),
  'task.beat': changes('task.claim', true),
  'task.release': changes('task.claim', true),
  'task.update': changes('task.update', true),
  'task.complete': changes('task.complete', true),
  'admin.agents': reads('admin'),
  'admin.audit': reads('admin'),
  'admin.revoke': changes('admin'),
} as const satisfies Readonly<Record<string, OperationSpec>>;

export type OperationName = keyof typeof OPERATIONS;

export function isOperation(text: string): text is OperationName {
  return Object.hasOwn(OPERATIONS, text);
}

/** A one-time permission to enrol as one agent with some scopes. Its code is stored as a hash. */
export interface Invite {
  /** `inv_…` */
  readonly id: string;
  readonly agent: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expires: Expiry;
  readonly usedAt: number | null;
  readonly revokedAt: number | null;
  /** The enrolment that it was used for. */
  readonly enrolmentId: string | null;
}

/** The key of an external agent, bound to its name and scopes until somebody revokes it. */
export interface Enrolment {
  /** `xs_…`, the sessionId of the audit. */
  readonly id: string;
  readonly agent: string;
  /** RFC 7638: the SHA-256 thumbprint of its public key, in base64url. */
  readonly thumbprint: string;
  readonly scopes: readonly Scope[];
  readonly inviteId: string;
  readonly enrolledAt: number;
  readonly revokedAt: number | null;
  readonly revokedWhy: RevocationReason | null;
}

/** The same for one agent with one key. */
export function clientIdOf({ agent, thumbprint }: Pick<Enrolment, 'agent' | 'thumbprint'>): string {
  return `${agent}:${thumbprint}`;
}

export type RevocationReason = 'revoked' | 'refresh_token_reused' | 'ledger_restored';

/** A refresh token, by the hash of its text. */
export interface RefreshToken {
  readonly hash: string;
  readonly enrolmentId: string;
  readonly expires: Expiry;
  readonly usedAt: number | null;
}

/** The agent behind a call that was authenticated, and what the call may do. */
export interface ExternalCaller {
  readonly agent: string;
  readonly sessionId: string;
  /** The scopes of the enrolment, or fewer with a context token. */
  readonly scopes: readonly Scope[];
  /** With a context token: the only task that the call may be about, by its name. */
  readonly task: string | null;
}
