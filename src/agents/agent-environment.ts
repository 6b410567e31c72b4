import { statSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { absoluteFolders } from '../platform/process/find-program.ts';

/** The run that an agent's process belongs to. */
export interface RunVariables {
  /** Null for a process that works on no task. */
  readonly taskId: string | null;
  readonly runId: string;
  readonly sessionId: string;
  /** The folder of the task as the process sees it; null or absent where it has none. */
  readonly taskFolder?: string | null;
  /** The node's address and the token of this run, good for its own task only; null while no server listens. */
  readonly endpoint: { readonly url: string; readonly token: string } | null;
}

export interface EnvironmentRequest {
  /** The user's own, as src/config/load.ts reads it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names beside the allow-list that the driver passes on. */
  readonly envNames: readonly string[];
  /** Variables that the driver sets itself. */
  readonly env: Readonly<Record<string, string>>;
  readonly run: RunVariables;
  readonly isSandboxed: boolean;
}

export interface AgentEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Values to mask in the agent's output. */
  readonly secrets: readonly string[];
}

/** No other variable of the user reaches an agent, unless its driver names it. */
const ALLOWED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|TZ|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;
/** Variables that name a file of certificates, as the users of a company with a proxy of its own have them. */
const CERTIFICATES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'CODEX_CA_CERTIFICATE'];
/** A sandbox has a /tmp of its own; the user's is outside of it. */
const TEMPORARY = ['TMPDIR', 'TMP', 'TEMP'];
const SECRET_NAME =
  /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|PRIVATE|AUTH|API_?KEY|ACCESS_?KEY|(^|_)(KEY|PASS|PWD|PAT|DSN)(_|$))/i;

/** The whole environment of an agent's process. */
export function agentEnvironment({ variables, envNames, env, run, isSandboxed }: EnvironmentRequest): AgentEnvironment {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined || name.startsWith('BATON_')) continue;
    const isAllowed = ALLOWED.test(name) || envNames.includes(name) || (!isSandboxed && TEMPORARY.includes(name));
    if (isAllowed) passed[name] = name === 'PATH' ? absoluteFolders(value) : value;
  }
  const whole = { ...passed, ...(isSandboxed ? { TMPDIR: '/tmp' } : {}), ...env, ...batonVariables(run) };
  return { env: whole, secrets: secretsOf(whole) };
}

/** The files of certificates that the user's environment names: without them a program in a sandbox trusts no such proxy. */
export function certificateFiles(variables: EnvironmentRequest['variables']): string[] {
  const named = CERTIFICATES.flatMap((name) => variables[name] ?? []).filter(isAbsolute);
  return named.map(normalize).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

function batonVariables({ taskId, runId, sessionId, taskFolder, endpoint }: RunVariables): Record<string, string> {
  return {
    ...(taskId === null ? {} : { BATON_TASK: taskId }),
    BATON_RUN: runId,
    BATON_SESSION: sessionId,
    ...(taskFolder ? { BATON_TASK_FOLDER: taskFolder } : {}),
    ...(endpoint ? { BATON_URL: endpoint.url, BATON_TOKEN: endpoint.token } : {}),
  };
}

/** Split into lines, because output is masked line by line and a key may have many. */
function secretsOf(env: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? value.split(/\r?\n/) : []));
  return [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !/^(PWD|OLDPWD)$/.test(name);
}
