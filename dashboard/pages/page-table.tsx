import type { ComponentType } from 'preact';
import { lazyPart } from '../parts/lazy-part.ts';
import { path } from '../parts/route.ts';
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

const PAGES: readonly PageEntry[] = [
  { pattern: /^\/$/, title: 'Home', page: HomePage },
  { pattern: /^\/tasks\/([^/]+)$/, title: 'Task', page: lazyPart(() => import('./task/task-page.tsx')) },
  { pattern: /^\/(?:board|tasks)$/, title: 'Board', page: lazyPart(() => import('./board/board-page.tsx')) },
  { pattern: /^\/sessions$/, title: 'Sessions', page: lazyPart(() => import('./sessions/sessions-page.tsx')) },
  { pattern: /^\/sessions\/([^/]+)$/, title: 'Session', page: lazyPart(() => import('./sessions/session-page.tsx')) },
  { pattern: /^\/feedback\/([^/]+)$/, title: 'Feedback', page: lazyPart(() => import('./feedback/feedback-page.tsx')) },
  { pattern: /^\/agents$/, title: 'Agents', page: lazyPart(() => import('./agents/agents-page.tsx')) },
  { pattern: /^\/nodes$/, title: 'Nodes', page: lazyPart(() => import('./nodes/nodes-page.tsx')) },
  { pattern: /^\/events$/, title: 'Events', page: lazyPart(() => import('./events/events-page.tsx')) },
  { pattern: /^\/new$/, title: 'New task', page: lazyPart(() => import('./new-task/new-task-page.tsx')) },
];

/** The page of an address, with the name in it. */
export function pageAt(at: string): PageEntry & PageProps {
  const found = PAGES.find(({ pattern }) => pattern.test(at)) ?? { pattern: /^/, title: '', page: NoSuchPage };
  return { ...found, name: nameIn(found.pattern.exec(at)?.[1] ?? '') };
}

/** An address may be typed by hand: one that cannot be decoded is shown as it is. */
function nameIn(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function NoSuchPage() {
  return (
    <div class="first-use">
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code>{nameIn(path.value)}</code>. <a href="/">Home</a> shows what needs you and what runs.
      </p>
    </div>
  );
}
