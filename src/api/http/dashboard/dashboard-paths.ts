const LISTS = ['tasks', 'sessions', 'agents', 'nodes', 'events', 'feedback'];
/** The addresses of pages as routes: the browser shows what the rest of the address says. */
export const PAGE_ROUTES = ['/', '/board', '/new', ...LISTS.flatMap((list) => [`/${list}`, `/${list}/:name`])];
/** The addresses of files that the pages load. */
export const ASSET_ROUTES = ['/assets/:name', '/icon.svg'];

const PAGES = patternOf(PAGE_ROUTES);
const ASSETS = patternOf(ASSET_ROUTES);

export function isPage(url: string): boolean {
  return PAGES.test(pathOf(url));
}

export function isAsset(url: string): boolean {
  return ASSETS.test(pathOf(url));
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
