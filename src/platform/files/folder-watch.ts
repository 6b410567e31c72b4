import { watch } from 'node:fs';

/** Reports changes in a folder, perhaps twice, late, or never. Returns a function that stops the watch. */
export type FolderWatch = (folder: string, onHint: (name: string | null) => void) => () => void;

/** The watch of the operating system; a folder that cannot be watched reports nothing. */
export const systemFolderWatch: FolderWatch = (folder, onHint) => {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => onHint(name));
    // The watch has ended, for example because the folder is gone: the next scan finds what it missed.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // No such folder, or no watch left: the next scan finds the change.
    return () => {};
  }
};
