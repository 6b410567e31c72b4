import './style/tokens.css';
import './style/page.css';
import './style/controls.css';
import './style/parts.css';
import './style/home.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { logIn } from './node/access.ts';
import { keepOverview } from './node/overview.ts';
import { followLinks } from './parts/route.ts';
import { listenForKeys } from './parts/shell/keys.ts';

followLinks();
listenForKeys();
await logIn();
keepOverview();
const root = document.getElementById('app');
if (root) render(<App />, root);
