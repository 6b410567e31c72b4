import type { DataFolders } from '../../platform/files/find-data-folders.ts';
import type { MissingSandbox } from './find-sandbox.ts';
import type { Sandbox } from './sandbox.ts';

/** The ways in which a machine starts processes, and the folders that it hides from them. */
export interface Sandboxes {
  /** Tried once, when it is first needed. */
  sandbox(): Promise<Sandbox | MissingSandbox>;
  /** Runs a process without a sandbox. */
  readonly open: Sandbox;
  /** The data folders in a list of folders, and everything else of Baton that no agent may see. */
  foldersToHide(roots: readonly string[]): Promise<DataFolders>;
}
