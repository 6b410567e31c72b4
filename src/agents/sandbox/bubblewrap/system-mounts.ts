import { existsSync, readlinkSync } from 'node:fs';
import { SANDBOX_PRIVATE_BYTES_MAX } from '../../../domain/limits.ts';
import { lookAt } from '../look-at.ts';
import type { Mount } from './mount.ts';

const FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Of /etc what programs need to run, find their libraries, tell names and trust certificates; no keys, no passwords. */
const ETC = [
  ...['alternatives', 'gitconfig', 'group', 'hosts', 'java-17-openjdk', 'java-21-openjdk', 'ld.so.cache'],
  ...['ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'os-release', 'passwd', 'perl'],
  ...['pki/ca-trust', 'pki/tls/certs', 'protocols', 'python3', 'python3.11', 'python3.12', 'python3.13'],
  ...['resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'timezone'],
];

/** What every process sees: the programs and libraries of the machine, and folders of its own in the usual places. */
export function systemMounts(): Mount[] {
  return [
    ...FOLDERS.flatMap(mountAsItIs),
    ...ETC.map((name) => `/etc/${name}`).flatMap(mountAsItIs),
    { kind: 'processes', at: '/proc' },
    { kind: 'devices', at: '/dev' },
    { kind: 'empty', at: '/dev/shm', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/tmp', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/var/tmp', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/run', bytesMax: 0 },
  ];
}

/** A link stays a link where it leads to something that is shown too; else what it leads to is shown in its place. */
function mountAsItIs(path: string): Mount[] {
  const stats = lookAt(path);
  if (!stats || !existsSync(path)) return [];
  if (stats.isSymbolicLink() && path.split('/').length === 2)
    return [{ kind: 'link', target: readlinkSync(path), at: path }];
  return [{ kind: 'read', from: path, at: path }];
}
