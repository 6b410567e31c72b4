// Paths as text, with / between their parts. Whether a link leads elsewhere is not to be seen here: who decides about
// access hands in real paths.

const WHOLE_PATH = /^(?:[A-Za-z]:)?[\\/]/;

export function isWholePath(path: string): boolean {
  return WHOLE_PATH.test(path);
}

/** A whole path without . and .., read from a folder where it is no whole path. */
export function wholePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (isWholePath(path) ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Is it the folder itself, or below it? By whole names: /ws-evil is not in /ws. */
export function isWithin(folder: string, path: string): boolean {
  if (folder === '/' || path === folder) return true;
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
