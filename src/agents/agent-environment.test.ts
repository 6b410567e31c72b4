import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentEnvironment, certificateFiles, type EnvironmentRequest } from './agent-environment.ts';

const RUN = { taskId: 'TASK-2026-02-09-057', runId: 'run_1', sessionId: 'S-1', endpoint: null };

function environment(changes: Partial<EnvironmentRequest> = {}) {
  return agentEnvironment({ variables: {}, envNames: [], env: {}, run: RUN, isSandboxed: true, ...changes });
}

const OWN = { BATON_TASK: 'TASK-2026-02-09-057', BATON_RUN: 'run_1', BATON_SESSION: 'S-1' };

test('only what is on the list is passed on', () => {
  const passed = {
    PATH: '/usr/bin',
    HOME: '/home/me',
    USER: 'me',
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm',
    TZ: 'UTC',
    SSL_CERT_FILE: '/etc/ssl/cert.pem',
    NODE_EXTRA_CA_CERTS: '/home/me/company.pem',
  };
  const kept = {
    AWS_SECRET_ACCESS_KEY: 'never-to-be-seen',
    NODE_OPTIONS: '--import=/tmp/x.mjs',
    LD_PRELOAD: '/tmp/x.so',
    SSH_AUTH_SOCK: '/run/agent',
    XDG_RUNTIME_DIR: '/run/user/1000',
    BASH_ENV: '/tmp/x.sh',
    HTTPS_PROXY: 'http://me:secret@proxy',
    BATON_TOKEN: 'of another run',
    BATON_DATA: '/home/me/.baton',
    path: 'lower case is another name',
    GONE: undefined,
  };
  const { env } = environment({ variables: { ...passed, ...kept } });
  assert.deepEqual(env, { ...passed, TMPDIR: '/tmp', ...OWN });
});

test('files of certificates that the user names are shown to an agent; folders and what is not there are not', () => {
  const own = import.meta.filename;
  const variables = { SSL_CERT_FILE: `/./${own}`, NODE_EXTRA_CA_CERTS: '/no/such/file.pem', CODEX_CA_CERTIFICATE: '/' };
  assert.deepEqual(certificateFiles(variables), [own]);
  assert.deepEqual(certificateFiles({ SSL_CERT_FILE: 'relative.pem' }), []);
});

test('relative folders of PATH are left out', () => {
  const { env } = environment({ variables: { PATH: ':/usr/bin:.:node_modules/.bin:/bin:' } });
  assert.equal(env.PATH, '/usr/bin:/bin');
});

test('the names that a driver asks for are passed on, but never those of Baton itself', () => {
  const variables = { MY_API_KEY: 'k-123456', OTHER_API_KEY: 'k-654321', BATON_TOKEN: 'mine' };
  const { env } = environment({ variables, envNames: ['MY_API_KEY', 'BATON_TOKEN', 'NOT_THERE'], env: { MODE: 'x' } });
  assert.deepEqual(env, { MY_API_KEY: 'k-123456', MODE: 'x', TMPDIR: '/tmp', ...OWN });
});

test('its own endpoint is told where there is one, and its token is a secret', () => {
  const endpoint = { url: 'http://127.0.0.1:4000', token: 'tok-abcdef' };
  const { env, secrets } = environment({ run: { ...RUN, endpoint } });
  assert.deepEqual(env, { TMPDIR: '/tmp', ...OWN, BATON_URL: endpoint.url, BATON_TOKEN: endpoint.token });
  assert.deepEqual(secrets, ['tok-abcdef']);
});

test('the temporary folder is the sandbox’s own, or the user’s', () => {
  const variables = { TMPDIR: '/home/me/tmp' };
  assert.equal(environment({ variables }).env.TMPDIR, '/tmp');
  assert.equal(environment({ variables, isSandboxed: false }).env.TMPDIR, '/home/me/tmp');
  assert.equal(environment({ isSandboxed: false }).env.TMPDIR, undefined);
});

test('what has the name of a secret is one, line by line, and nothing else', () => {
  const env = {
    GITHUB_TOKEN: 'ghp_1',
    SSH_PRIVATE_KEY: '-----BEGIN-----\r\nMIIB\n-----END-----\n',
    DB_PASSWORD: 'hunter2',
    OPENAI_APIKEY: 'sk-1',
    key: 'lower',
    MONKEY: 'banana',
    KEYBOARD: 'qwerty',
    PWD: '/work',
    COMPASS: 'north',
    EMPTY_TOKEN: '',
  };
  assert.deepEqual(environment({ env }).secrets, [
    'ghp_1',
    '-----BEGIN-----',
    'MIIB',
    '-----END-----',
    'hunter2',
    'sk-1',
    'lower',
  ]);
});
