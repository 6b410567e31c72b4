import { signal } from '@preact/signals';
import type { DashboardToken } from '../../src/api/contract.ts';
import { isErrorBody, NodeError, unreachable } from './node-error.ts';
import { routeOf } from './page-calls.ts';

const TOKEN = 'baton.token';
const LINK = /^#link=([\w-]{20,100})$/;
/** Another tab of this origin answers at once, or there is none. */
const OTHER_TAB_MS = 250;

export type Access =
  | { readonly kind: 'asking' }
  | { readonly kind: 'open' }
  /** `error` is null where nobody tried to log in. */
  | { readonly kind: 'closed'; readonly error: NodeError | null };

/** Whether this tab may talk to the node. */
export const access = signal<Access>({ kind: 'asking' });

let token = '';
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('baton') : null;

/** Exchanges the link in the address for a token, or takes the token of this tab or of another one. */
export async function logIn(): Promise<void> {
  const code = LINK.exec(location.hash)?.[1];
  // The code leaves the address and the history before anything else happens.
  if (location.hash.startsWith('#link=')) history.replaceState(null, '', location.pathname + location.search);
  token = sessionStorage.getItem(TOKEN) ?? '';
  tabs?.addEventListener('message', answerTab);
  if (code !== undefined) await exchange(code);
  else if (token === '') await askOtherTab();
  if (access.value.kind === 'asking') access.value = token === '' ? { kind: 'closed', error: null } : { kind: 'open' };
}

/** The header of every request. */
export function authorization(): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** The node no longer accepts the token: it was restarted, or nobody used the token for a week. */
export function closeAccess(error: NodeError): void {
  if (access.value.kind === 'closed') return;
  sessionStorage.removeItem(TOKEN);
  token = '';
  access.value = { kind: 'closed', error };
}

async function exchange(code: string): Promise<void> {
  try {
    const { method, path } = routeOf('exchangeLink');
    const response = await fetch(path, { method, headers: { 'baton-link': code } });
    const body: unknown = await response.json();
    if (isErrorBody(body)) throw new NodeError(response.status, body);
    keep((body as DashboardToken).token);
  } catch (error) {
    // A link that was used for this very tab, such as by "back", does no harm.
    if (token !== '') return;
    access.value = { kind: 'closed', error: error instanceof NodeError ? error : unreachable() };
  }
}

function keep(given: string): void {
  token = given;
  sessionStorage.setItem(TOKEN, given);
}

/** A page that is opened from another one of this node gets its token from there. */
async function askOtherTab(): Promise<void> {
  if (!tabs) return;
  tabs.postMessage({ kind: 'ask' });
  const answered = Promise.withResolvers<void>();
  const take = ({ data }: MessageEvent) => {
    if (data?.kind !== 'token' || typeof data.token !== 'string') return;
    keep(data.token);
    answered.resolve();
  };
  tabs.addEventListener('message', take);
  setTimeout(() => answered.resolve(), OTHER_TAB_MS);
  await answered.promise;
  tabs.removeEventListener('message', take);
}

function answerTab({ data }: MessageEvent): void {
  if (data?.kind === 'ask' && token !== '' && access.value.kind === 'open') tabs?.postMessage({ kind: 'token', token });
}
