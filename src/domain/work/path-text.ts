// Paths as text, with / between their parts. Links are not resolved here: decisions about access get real paths.

const WHOLE_PATH = /^(?:[A-Za-z]:)?[\\/]/;

export function isWholePath(path: string): boolean {
  return WHOLE_PATH.test(path);
}

/** An absolute path without . and ..; a relative one is resolved against the folder. */
export function wholePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (isWholePath(path) ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Whether a path is the folder itself or below it, by whole names: /ws-evil is not in /ws. */
export function isWithin(folder: string, path: string): boolean {
  if (folder === '/' || path === folder) return true;
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** A path from the folder; one that is not below it stays as it is. An empty folder is the root of both. */
export function pathBelow(folder: string, path: string): string {
  const start = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : path;
}
