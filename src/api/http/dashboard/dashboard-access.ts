import { createHash } from 'node:crypto';
import {
  DASHBOARD_LINK_MS_MAX,
  DASHBOARD_LINK_REMEMBERED_MS,
  DASHBOARD_LINKS_MAX,
  DASHBOARD_TOKEN_IDLE_MS_MAX,
  DASHBOARD_TOKENS_MAX,
} from '../../../domain/http-limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import { randomSecret } from '../../../platform/secret.ts';
import type { DashboardLink } from '../../contract.ts';

/** The answer to the code of a link. */
export type LinkExchange =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'link_used' | 'link_expired' | 'link_unknown' };

interface Code {
  readonly endsAt: number;
  readonly isUsed: boolean;
}

/**
 * One-time links and the tokens that browsers get for them. Both are held in memory, as hashes: neither outlives the node,
 * so a program that takes over its port learns nothing that the next node accepts.
 */
export class DashboardAccess {
  readonly #clock: Clock;
  /** By hash, oldest first. */
  readonly #codes = new Map<string, Code>();
  /** The monotonic instant of the last request, by the hash of the token; least recently used first. */
  readonly #tokens = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The code stands behind the #: browsers send that part to no server and in no Referer. */
  createLink(url: string): DashboardLink {
    const { monotonicMs, wallMs } = this.#clock.now();
    this.#forgetOld(monotonicMs);
    const code = randomSecret();
    const id = hashOf(code);
    this.#codes.set(id, { endsAt: monotonicMs + DASHBOARD_LINK_MS_MAX, isUsed: false });
    dropFirst(this.#codes, DASHBOARD_LINKS_MAX);
    return { id, url: `${url}/#link=${code}`, expiresAt: new Date(wallMs + DASHBOARD_LINK_MS_MAX).toISOString() };
  }

  /** Whether a browser has used the link with this id. */
  isUsed(id: string): boolean {
    return this.#codes.get(id)?.isUsed ?? false;
  }

  /** A code counts once and until its end. */
  exchange(code: string): LinkExchange {
    const now = this.#clock.now().monotonicMs;
    const hash = hashOf(code);
    const known = this.#codes.get(hash);
    if (!known) return { kind: 'link_unknown' };
    if (known.isUsed) return { kind: 'link_used' };
    if (now >= known.endsAt) return { kind: 'link_expired' };
    this.#codes.set(hash, { ...known, isUsed: true });
    const token = randomSecret();
    this.#tokens.set(hashOf(token), now);
    dropFirst(this.#tokens, DASHBOARD_TOKENS_MAX);
    return { kind: 'token', token };
  }

  /** Whether a browser got this token here and has used it lately. Hashes are compared, so the time taken tells nothing. */
  isToken(given: Buffer): boolean {
    if (given.length === 0 || this.#tokens.size === 0) return false;
    const hash = hashOf(given);
    const usedAt = this.#tokens.get(hash);
    if (usedAt === undefined) return false;
    const now = this.#clock.now().monotonicMs;
    this.#tokens.delete(hash);
    if (now - usedAt > DASHBOARD_TOKEN_IDLE_MS_MAX) return false;
    this.#tokens.set(hash, now);
    return true;
  }

  #forgetOld(now: number): void {
    for (const [hash, { endsAt }] of this.#codes) {
      if (now - endsAt > DASHBOARD_LINK_REMEMBERED_MS) this.#codes.delete(hash);
    }
  }
}

function hashOf(secret: string | Buffer): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function dropFirst(map: Map<string, unknown>, sizeMax: number): void {
  const [first] = map.keys();
  if (map.size > sizeMax && first !== undefined) map.delete(first);
}
