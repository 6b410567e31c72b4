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
