import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
  readonly keyFile: string;
  readonly certFile: string;
}

/** A certificate for these names, as an operator makes one with openssl; null where there is no openssl. */
export function selfSigned(folder: string, names: readonly string[]): SelfSigned | null {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['req', '-x509', '-nodes', '-days', '2', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const about = ['-subj', '/CN=baton test', '-addext', `subjectAltName=${names.join(',')}`];
  const made = spawnSync('openssl', [...kind, ...about, '-keyout', keyFile, '-out', certFile], { encoding: 'utf8' });
  if (made.error) return null;
  if (made.status !== 0) throw new Error(made.stderr);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile };
}
