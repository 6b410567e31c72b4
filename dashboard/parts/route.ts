import { computed, signal } from '@preact/signals';

/** The address is the state: pages read their filters from it and write them to it. */
const address = signal(new URL(location.href));

export const path = computed(() => address.value.pathname);
export const query = computed(() => address.value.searchParams);

/** A value of the query; empty where it has none. */
export function param(name: string): string {
  return query.value.get(name) ?? '';
}

/** Goes to a page of the dashboard. */
export function goTo(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = new URL(to, location.origin);
  if (url.href === location.href) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const isOtherPage = url.pathname !== address.value.pathname;
  address.value = url;
  if (isOtherPage && !replace) scrollTo(0, 0);
}

/** Changes values of the query; an empty one goes. Typing replaces the entry of the history, a choice adds one. */
export function setParams(values: Readonly<Record<string, string>>, how: { readonly replace?: boolean } = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  goTo(url.pathname + url.search, how);
}

/** The address of this page with other values in its query. */
export function withParams(values: Readonly<Record<string, string>>): string {
  const url = new URL(address.value);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
}

/** Links of this origin change the page without loading it anew. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    address.value = new URL(location.href);
  });
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin || link.target !== '') return;
    if (link.hash !== '' && link.pathname === location.pathname) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}
