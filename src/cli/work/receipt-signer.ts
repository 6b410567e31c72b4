import { loadConfigSources, loadStateFolder } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { configOf } from '../../config/settings.ts';
import { FolderFault } from '../../platform/files/data-folder.ts';
import { KnownFolders } from '../../platform/files/trusted-paths.ts';
import { peerOfSigner, signersOf } from '../../platform/node-key.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Call, UsageError } from '../command.ts';

export interface Signer {
  readonly kind: 'this-node' | 'known' | 'unknown';
  /** A data folder of this machine, a node of the federation, or a name of known_keys. */
  readonly name: string | null;
  readonly isFolder: boolean;
  readonly isNode: boolean;
}

const OF_FOLDER = { isFolder: true, isNode: false };
const OF_NAME = { isFolder: false, isNode: false };

/** Finds out whose key it is, from this machine's own records. Creates nothing. */
export function findSigner(call: Call, keyId: string): Signer {
  const own = ownFolder(call);
  if (own !== null && signersOf(own).includes(keyId)) return { kind: 'this-node', name: own, ...OF_FOLDER };
  const named = Object.entries(knownKeys(own)).find(([, id]) => id.toLowerCase() === keyId);
  if (named) return { kind: 'known', name: named[0], ...OF_NAME };
  const peer = own === null ? null : peerOfSigner(own, keyId);
  if (peer !== null) return { kind: 'known', name: peer, isFolder: false, isNode: true };
  const other = new KnownFolders(loadStateFolder()).paths().find((folder) => signersOf(folder).includes(keyId));
  return other === undefined
    ? { kind: 'unknown', name: null, ...OF_NAME }
    : { kind: 'known', name: other, ...OF_FOLDER };
}

/** Null where this call has no usable data folder: a receipt is judged without one. */
function ownFolder(call: Call): string | null {
  try {
    return dataFolderOf(call);
  } catch (error) {
    if (error instanceof UsageError || error instanceof FolderFault) return null;
    throw error;
  }
}

function knownKeys(own: string | null): Readonly<Record<string, string>> {
  return configOf(loadConfig(loadConfigSources(own ?? loadStateFolder())).settings).known_keys ?? {};
}
