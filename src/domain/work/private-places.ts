import { isWithin } from './path-text.ts';

/** Folders that every sandbox shows, read-only: the machine's programs and libraries. */
export const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Files and folders of a home in which programs keep keys, passwords and tokens. */
const PRIVATE_NAMES = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config', '.password-store', '.pki', '.netrc', '.npmrc'],
  ...['.pypirc', '.git-credentials', '.gitconfig', '.vault-token', '.mozilla', '.thunderbird', '.terraform.d', '.gem'],
  ...['.local/state', '.local/share/keyrings', '.local/share/kwalletd', 'Library/Keychains'],
];

/** Whether a folder is a home, or contains one. */
export function holdsHome(folder: string, homes: readonly string[]): boolean {
  return homes.some((home) => isWithin(folder, home));
}

/** Whether a path lies in a place of a home where secrets are kept. */
export function isPrivatePlace(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => PRIVATE_NAMES.some((name) => isWithin(`${home}/${name}`, path)));
}

/** Names that a folder with the secrets of a person contains, wherever it lies. */
export function isPrivateName(name: string): boolean {
  return PRIVATE_NAMES.includes(name);
}

export function isOfSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isWithin(folder, path));
}
