import type { IncomingMessage } from 'node:http';

const LISTS = ['tasks', 'sessions', 'agents', 'nodes', 'events', 'feedback'];
/** The addresses of pages as routes: the browser shows what the rest of the address says. */
export const PAGE_ROUTES = ['/', '/board', '/new', ...LISTS.flatMap((list) => [`/${list}`, `/${list}/:name`])];
/** The addresses of files that the pages load. */
export const ASSET_ROUTES = ['/assets/:name', '/icon.svg'];

const PAGES = patternOf(PAGE_ROUTES);
const ASSETS = patternOf(ASSET_ROUTES);
/** No route but pages and files has such a path. An escaped character in its first part could spell one. */
const ELSEWHERE = /^\/(?!v1(?:\/|$)|healthz$|readyz$|assets\/)[\w.~-]+(?:\/|$)/;

export function isPage(url: string): boolean {
  return PAGES.test(pathOf(url));
}

export function isAsset(url: string): boolean {
  return ASSETS.test(pathOf(url));
}

/** A browser loads this as a page of its own, in no frame. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** A person is at an address that is neither of a page nor of a call: the page says so. */
export function isLost(request: Pick<IncomingMessage, 'method' | 'headers' | 'url'>): boolean {
  return ELSEWHERE.test(pathOf(request.url ?? '')) && isNavigation(request);
}

/** The address without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function patternOf(routes: readonly string[]): RegExp {
  return new RegExp(
    `^(?:${routes.map((route) => route.replace(':name', '[^/]{1,300}').replace('.', '\\.')).join('|')})$`,
  );
}
