import type { ComponentType } from 'preact';
import { HomePage } from './home/home-page.tsx';

export interface PageProps {
  /** The part of the address after the page's own. */
  readonly name: string;
}

interface PageEntry {
  readonly pattern: RegExp;
  readonly title: string;
  readonly page: ComponentType<PageProps>;
}

const PAGES: readonly PageEntry[] = [{ pattern: /^\/$/, title: 'Home', page: HomePage }];

/** The page of an address, with the name in it. */
export function pageAt(path: string): PageEntry & PageProps {
  const found = PAGES.find(({ pattern }) => pattern.test(path)) ?? { pattern: /^/, title: '', page: NoSuchPage };
  return { ...found, name: decodeURIComponent(found.pattern.exec(path)?.[1] ?? '') };
}

function NoSuchPage() {
  return (
    <div class="first-use">
      <h1>There is no such page</h1>
      <p>
        <a href="/">Home</a>
      </p>
    </div>
  );
}
