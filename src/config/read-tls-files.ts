import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigFault } from './config-fault.ts';

export interface TlsFiles {
  readonly tls: { readonly key: string; readonly cert: string };
  /** The host names in the certificate: clients reach the node by these. */
  readonly names: readonly string[];
}

/** Reads and checks the files of http.tls_cert and http.tls_key before the server starts. */
export function readTlsFiles(paths: { readonly cert: string; readonly key: string }): TlsFiles {
  const cert = readPem('tls_cert', paths.cert);
  const key = readPem('tls_key', paths.key);
  const certificate = parsed('tls_cert', () => new X509Certificate(cert));
  const privateKey = parsed('tls_key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw unusable('tls_key', `${paths.key} is not the key of the certificate`);
  return { tls: { key, cert }, names: namesOf(certificate) };
}

/** A wildcard names no single host. */
function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const names = subjectAltName.split(', ').flatMap((entry) => /^(?:DNS|IP Address):([\w.:-]+)$/.exec(entry)?.[1] ?? []);
  return names.map((name) =>
    name.includes(':') ? new URL(`https://[${name}]`).hostname.slice(1, -1) : name.toLowerCase(),
  );
}

type Half = 'tls_cert' | 'tls_key';

function readPem(half: Half, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(half, `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function parsed<Value>(half: Half, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    // OpenSSL's own message would not help the user.
    const what = half === 'tls_cert' ? 'certificate' : 'private key without a passphrase';
    throw unusable(half, `the file holds no ${what} in PEM`);
  }
}

function unusable(half: Half, message: string): ConfigFault {
  const problems = [{ path: `/http/${half}`, message: `${message}; nothing was changed` }];
  return new ConfigFault(`http.${half}`, problems, 'docs/operating.md shows how to make both with openssl');
}
