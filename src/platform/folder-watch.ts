import { watch } from 'node:fs';

/** Hints that something changed in a folder: they may come twice, late, or not at all. Gives how to stop. */
export type FolderWatch = (folder: string, onHint: (name: string | null) => void) => () => void;

/** The system's own; a folder that cannot be watched gives no hints. */
export const systemFolderWatch: FolderWatch = (folder, onHint) => {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => onHint(name));
    // It gives no more hints, as when the folder is gone: the next look through it finds what it missed.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // No such folder, or no watch to be had: a hint is all that is lost.
    return () => {};
  }
};
