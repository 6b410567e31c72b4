import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { inPage } from './dashboard-stage.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Before the first `faultsOf` of a page. */
export async function loadAxe(page: Page): Promise<void> {
  await inPage(page, AXE);
}

/** The faults that axe finds, one line each: in the light theme all, in the dark one those of colours, which alone can differ. */
export async function faultsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [theme, rules] of [
    ['light', []],
    ['dark', ['color-contrast']],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    const only = rules.length === 0 ? '{}' : JSON.stringify({ runOnly: { type: 'rule', values: rules } });
    const { violations } = await inPage<{ violations: readonly Violation[] }>(page, `axe.run(document, ${only})`);
    found.push(
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${theme}: ${id}: ${html.slice(0, 160)}`)),
    );
  }
  return found;
}

/** Text that would run, load, link, hide or turn around something, if a page took it for more than text. */
export const HOSTILE = [
  '<img src=x onerror=hit()>',
  '<svg onload=hit()>',
  '<script>hit()</script>',
  '[a link](javascript:hit())',
  '![i](https://evil.example/i.png)',
  'https://evil.example/',
  '{{hit()}}',
  'rtl\u202etxt',
  'bell\u0007',
  'zero\u200bwidth',
].join(' ');

/** Everything in a page that text of others may not become. */
const MADE = `[...document.querySelectorAll(
  'img, iframe, object, embed, base, form[action], [onerror], [onload], [onclick], a[href^="javascript"], [href*="evil"], main svg[onload]'
)].map(({ outerHTML }) => outerHTML.slice(0, 100))`;
export const DECEIVES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Elements that text of others made on a page, and characters of it that deceive. */
export async function madeBy(page: Page): Promise<string[]> {
  const shown = await inPage<string>(page, 'document.body.textContent');
  const deceived = DECEIVES.test(shown) ? [JSON.stringify(DECEIVES.exec(shown))] : [];
  return [...deceived, ...(await inPage<string[]>(page, MADE))];
}

export async function isWiderThanScreen(page: Page): Promise<boolean> {
  return await inPage<boolean>(page, 'document.documentElement.scrollWidth > innerWidth');
}
