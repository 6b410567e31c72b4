import { Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { access } from './node/access.ts';
import { connection } from './node/live-events.ts';
import { ClosedPage } from './pages/closed-page.tsx';
import { pageAt } from './pages/page-table.tsx';
import { path } from './parts/route.ts';
import { NavBar } from './parts/shell/nav-bar.tsx';
import { Overlays } from './parts/shell/overlays.tsx';
import { useShellKeys } from './parts/shell/shell-keys.ts';
import { TopBar } from './parts/shell/top-bar.tsx';
import { Skeleton } from './parts/states.tsx';

export function App() {
  if (access.value.kind === 'closed') return <ClosedPage error={access.value.error} />;
  return <OpenApp />;
}

function OpenApp() {
  const [top, setTop] = useState<'help' | 'search' | null>(null);
  const open = (name: 'help' | 'search') => () => setTop((before) => (before === name ? null : name));
  useShellKeys({ onHelp: open('help'), onSearch: open('search') });
  const { page: Page, title, name } = pageAt(path.value);
  document.title = [title, name, 'Baton'].filter((each) => each !== '').join(' · ');
  return (
    <div class="app" data-connection={connection.value.kind}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar onSearch={open('search')} />
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Skeleton />}>
          <Page name={name} key={path.value} />
        </Suspense>
      </main>
      <NavBar onHelp={open('help')} />
      <Overlays top={top} onClose={() => setTop(null)} />
    </div>
  );
}
