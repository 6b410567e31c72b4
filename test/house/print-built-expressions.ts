// Prints the regular expressions that the modules named by the arguments build while they are loaded, as JSON.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Expression } from './expressions.ts';
import { ROOT } from './source-file.ts';

const built: Expression[] = [];
const own = process.argv.slice(2);

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, [source, flags = '']: [string | RegExp, string?]) {
    const expression = new target(source, flags);
    for (const [, url = '', line] of (new Error().stack ?? '').matchAll(/(file:\/\/\S+?):(\d+):\d+\)?$/gm)) {
      const file = relative(ROOT, fileURLToPath(url));
      if (!own.includes(file)) continue;
      built.push({ file, line: Number(line), source: expression.source, flags: expression.flags });
      break;
    }
    return expression;
  },
});

for (const path of own) await import(join(ROOT, path));
process.stdout.write(JSON.stringify(built));
