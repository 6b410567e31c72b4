import { isLoopback, type ListenPlace } from '../../api/http/listen-address.ts';
import { ConfigFault } from '../../config/config-fault.ts';
import { DEFAULTS } from '../../config/defaults.ts';
import { loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { readTlsFiles } from '../../config/read-tls-files.ts';
import { configOf } from '../../config/settings.ts';
import { type Call, flagText, UsageError } from '../command.ts';

/** The address of the HTTP API, from --port and the configuration. Without TLS only loopback is allowed. */
export function serverSettings(call: Call, dataFolder: string): ListenPlace {
  const given = portFlag(call);
  const { http = {} } = configOf(loadConfig(loadConfigSources(dataFolder)).settings);
  const { host = DEFAULTS.http.host, tls_cert: cert, tls_key: key } = http;
  const port = given ?? http.port ?? DEFAULTS.http.port;
  if (cert !== undefined && key !== undefined) return { host, port, ...readTlsFiles({ cert, key }) };
  if (cert !== undefined || key !== undefined) throw halfOfTls(cert === undefined ? 'tls_cert' : 'tls_key');
  if (isLoopback(host)) return { host, port };
  const message = `${host} is reachable from other machines, which requires TLS; nothing was changed`;
  throw new ConfigFault('http.host', [{ path: '/http/host', message }], 'set http.tls_cert and http.tls_key as well');
}

function halfOfTls(missing: 'tls_cert' | 'tls_key'): ConfigFault {
  const message = 'is not set, but the other TLS setting is; nothing was changed';
  return new ConfigFault(`http.${missing}`, [{ path: `/http/${missing}`, message }], 'set both, or neither');
}

function portFlag(call: Call): number | undefined {
  const given = flagText(call, 'port');
  if (given === undefined || (/^\d{1,5}$/.test(given) && Number(given) <= 65_535))
    return given === undefined ? given : Number(given);
  throw new UsageError(`--port: ${JSON.stringify(given)} is not a port`, '--port 0 picks a free port');
}
