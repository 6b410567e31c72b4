import { common, createLowlight } from 'lowlight';

const ENDINGS: Readonly<Record<string, keyof typeof common>> = {
  ...{ ts: 'typescript', tsx: 'typescript', mts: 'typescript', cts: 'typescript' },
  ...{ js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', json: 'json' },
  ...{ sh: 'bash', bash: 'bash', zsh: 'bash', c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', hpp: 'cpp', cs: 'csharp' },
  ...{ css: 'css', scss: 'css', go: 'go', toml: 'ini', ini: 'ini', java: 'java', kt: 'kotlin', md: 'markdown' },
  ...{ php: 'php', py: 'python', rb: 'ruby', rs: 'rust', sql: 'sql', swift: 'swift' },
  ...{ html: 'xml', xml: 'xml', svg: 'xml', vue: 'xml', svelte: 'xml', yaml: 'yaml', yml: 'yaml' },
};

const lowlight = createLowlight(common);

/** Colours code as a tree of spans with classes; the text stays text. */
export const colouring = {
  highlight: (text: string, language: string) => lowlight.highlight(language, text).children,
  /** By the ending of its name; null for a file without a known one. */
  languageOf(path: string): string | null {
    return ENDINGS[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? null;
  },
};
