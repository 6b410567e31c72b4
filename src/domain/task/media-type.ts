/** The media types that a reviewer reads if its configuration does not say: text, and data that is text. */
export const MEDIA_TYPES_DEFAULT = [
  'text/*',
  'application/json',
  'application/*+json',
  'application/xml',
  'application/*+xml',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/javascript',
  'application/typescript',
  'application/sql',
  'application/x-sh',
  'application/x-httpd-php',
  'application/x-ndjson',
  'application/graphql',
  'image/svg+xml',
] as const;

/** Whether a media type, with or without parameters, is one of a list; `*` stands for any part of a name. */
export function isMediaTypeListed(mediaType: string, list: readonly string[]): boolean {
  const [plain = ''] = mediaType.toLowerCase().split(/[ \t;]/, 1);
  return list.some((entry) => {
    const [before = '', after] = entry.toLowerCase().split('*');
    if (after === undefined) return plain === before;
    return plain.length > before.length + after.length && plain.startsWith(before) && plain.endsWith(after);
  });
}
