import { basename, extname } from 'node:path';

const NO_MODEL = 'Made by the demo agent. No model was used.';

type Writer = (description: string, path: string) => string;

const slashes: Writer = (description) => `// ${description}\n// ${NO_MODEL}\n`;
const hashes: Writer = (description) => `# ${description}\n# ${NO_MODEL}\n`;
const stars: Writer = (description) => `/* ${description} */\n/* ${NO_MODEL} */\n`;
const module: Writer = (description, path) =>
  `${slashes(description, path)}export const description = ${JSON.stringify(description)};\n`;

/** By the ending of the name, a small file that its own tools accept. */
const WRITERS: Readonly<Record<string, Writer>> = {
  '.md': (description, path) => `# ${titleOf(path)}\n\n${description}\n\n${NO_MODEL}\n`,
  '.json': (description) => `${JSON.stringify({ description, note: NO_MODEL }, null, 2)}\n`,
  '.html': (description, path) =>
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${escaped(titleOf(path))}</title>\n` +
    `<p>${escaped(description)}</p>\n<!-- ${NO_MODEL} -->\n</html>\n`,
  '.csv': (description) => `description,note\n${quoted(description)},${quoted(NO_MODEL)}\n`,
  '.py': (description, path) => `${hashes(description, path)}DESCRIPTION = ${JSON.stringify(description)}\n`,
  '.sh': (description, path) => `#!/bin/sh\n${hashes(description, path)}exit 0\n`,
  '.css': stars,
  '.c': stars,
  '.h': stars,
  '.go': (description, path) => `${slashes(description, path)}package main\n`,
  '.rs': slashes,
  '.js': module,
  '.mjs': module,
  '.ts': module,
  '.cjs': slashes,
  '.jsx': module,
  '.tsx': module,
  '.yaml': hashes,
  '.yml': hashes,
  '.toml': hashes,
};

/** What a file of this name and description could hold. */
export function contentFor(path: string, description: string): string {
  const line = description.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const writer = WRITERS[extname(path).toLowerCase()];
  return writer ? writer(line, path) : `${line}\n\n${NO_MODEL}\n`;
}

function titleOf(path: string): string {
  const words = basename(path, extname(path)).replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
