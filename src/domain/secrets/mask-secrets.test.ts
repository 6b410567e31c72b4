import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { LineMask, maskChunk, maskSecrets, maskValue, NOTHING_OPEN, type OpenText } from './mask-secrets.ts';

const ALPHABETS = {
  word: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  hex: '0123456789abcdef',
  base64: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/',
};

/** The same for the same seed, so that a failure can be repeated. No test has a secret that scanners of this repository find. */
function made(alphabet: keyof typeof ALPHABETS, length: number, seed: string): string {
  const characters = ALPHABETS[alphabet];
  let text = '';
  for (let block = 0; text.length < length; block++) {
    for (const byte of createHash('sha512').update(`${seed}${block}`).digest())
      text += characters[byte % characters.length];
  }
  return text.slice(0, length);
}

const FORMATS: readonly (readonly [kind: string, make: (seed: string) => string])[] = [
  ['aws_key', (seed) => `AKIA${made('upper', 16, seed)}`],
  ['aws_key', (seed) => `ASIA${made('upper', 16, seed)}`],
  ['github_token', (seed) => `ghp_${made('word', 36, seed)}`],
  ['github_token', (seed) => `github_pat_${made('word', 82, seed)}`],
  [
    'github_token',
    (seed) => `ghs_12345678_${made('word', 30, seed)}.${made('word', 60, seed)}.${made('word', 40, seed)}`,
  ],
  ['gitlab_token', (seed) => `glpat-${made('word', 20, seed)}`],
  ['anthropic_key', (seed) => `sk-ant-api03-${made('word', 93, seed)}AA`],
  ['api_key', (seed) => `sk-proj-${made('word', 74, seed)}T3BlbkFJ${made('word', 74, seed)}`],
  ['api_key', (seed) => `sk-${made('word', 20, seed)}T3BlbkFJ${made('word', 20, seed)}`],
  ['google_key', (seed) => `AIza${made('word', 35, seed)}`],
  ['slack_token', (seed) => `xoxb-${made('hex', 11, seed)}-${made('word', 24, seed)}`],
  [
    'slack_webhook',
    (seed) =>
      `hooks.slack.com/services/T${made('upper', 8, seed)}/B${made('upper', 8, seed)}/${made('word', 24, seed)}`,
  ],
  ['stripe_key', (seed) => `sk_live_${made('word', 24, seed)}`],
  ['npm_token', (seed) => `npm_${made('word', 36, seed)}`],
  ['sendgrid_key', (seed) => `SG.${made('word', 22, seed)}.${made('word', 43, seed)}`],
  ['shopify_token', (seed) => `shpat_${made('hex', 32, seed)}`],
  ['huggingface_token', (seed) => `hf_${made('word', 34, seed)}`],
  ['groq_key', (seed) => `gsk_${made('word', 52, seed)}`],
  ['linear_key', (seed) => `lin_api_${made('word', 40, seed)}`],
  ['notion_token', (seed) => `ntn_12345678901${made('word', 35, seed)}`],
  ['vault_token', (seed) => `hvs.${made('word', 95, seed)}`],
  ['vercel_token', (seed) => `vcp_${made('word', 56, seed)}`],
  ['databricks_token', (seed) => `dapi${made('hex', 32, seed)}`],
  ['docker_token', (seed) => `dckr_pat_${made('word', 27, seed)}`],
  ['figma_token', (seed) => `figd_${made('word', 40, seed)}`],
  ['cloudflare_token', (seed) => `cfut_${made('word', 40, seed)}${made('hex', 8, seed)}`],
  ['tailscale_key', (seed) => `tskey-auth-${made('word', 12, seed)}-${made('word', 32, seed)}`],
  ['grafana_token', (seed) => `glsa_${made('word', 32, seed)}_${made('hex', 8, seed)}`],
  ['jwt', (seed) => `eyJ${made('word', 33, seed)}.eyJ${made('word', 60, seed)}.${made('word', 43, seed)}`],
  ['gitlab_token', (seed) => `glpat-${made('word', 27, seed)}.01.${made('hex', 9, seed)}`],
  ['rubygems_key', (seed) => `rubygems_${made('hex', 48, seed)}`],
  ['pulumi_token', (seed) => `pul-${made('hex', 40, seed)}`],
  ['dynatrace_token', (seed) => `dt0c01.${made('upper', 24, seed)}.${made('upper', 64, seed)}`],
  ['discord_token', (seed) => `MTk4${made('word', 21, seed)}.${made('word', 6, seed)}.${made('word', 27, seed)}`],
  ['nvidia_key', (seed) => `nvapi-${made('word', 64, seed)}`],
  ['high_entropy', (seed) => `zQ${made('base64', 84, seed)}`],
];

/** 200 and more: each format with seven seeds. */
const SECRETS = FORMATS.flatMap(([kind, make]) =>
  Array.from({ length: 7 }, (_, seed) => ({ kind, secret: make(`${kind}${seed}`) })),
);

describe('a secret', () => {
  test('of a known format is masked whole, in any surroundings', () => {
    assert.ok(SECRETS.length >= 200);
    for (const { kind, secret } of SECRETS) {
      const mask = `[REDACTED:${kind}]`;
      assert.equal(maskSecrets(secret), mask);
      assert.equal(maskSecrets(`see ${secret} there`), `see ${mask} there`);
      assert.equal(maskSecrets(`{"a":"x\\n${secret}","b":1}`), `{"a":"x\\n${mask}","b":1}`);
      assert.equal(maskSecrets(`\u001b[32m${secret.slice(0, 9)}\u001b[0m${secret.slice(9)}`), mask);
      assert.ok(
        !maskSecrets(`curl -H 'X: ${secret}' https://a.example/?k=${secret}&b=1`).includes(secret.slice(6, 20)),
      );
    }
  });

  test('that is split over two chunks at any place is masked, and the text around it is not', () => {
    for (const { secret } of SECRETS) {
      const text = `before ${secret} after it`;
      for (let at = 1; at < text.length; at++) {
        const shown = inChunks([text.slice(0, at), text.slice(at)]);
        assert.match(shown, /^before \[REDACTED:\w+\] after it$/, `${secret} at ${at}`);
      }
    }
  });

  test('in a URL, behind its name, or as the header of a request is masked', () => {
    const masked = [
      ['https://bob:hunter2@db.internal:5432/x', 'https://[REDACTED:url_credentials]@db.internal:5432/x'],
      ['postgres://u:p%40ss,word@10.0.0.1/db', 'postgres://[REDACTED:url_credentials]@10.0.0.1/db'],
      ['redis://:s3cret@cache', 'redis://[REDACTED:url_credentials]@cache'],
      ['password: "hunter2hunter2"', 'password: "[REDACTED:secret]"'],
      ['API_KEY=abc123def456 npm test', 'API_KEY=[REDACTED:secret] npm test'],
      ['Authorization: Basic dXNlcjpwYXNzd29yZDE=', 'Authorization: Basic [REDACTED:secret]'],
      ['Authorization: Bearer abc123def456', 'Authorization: Bearer [REDACTED:secret]'],
      ['"client_secret":"8d7f6a5b4c3d2e1f"', '"client_secret":"[REDACTED:secret]"'],
      ['{"password": "TRczcMkBm"}', '{"password": "[REDACTED:secret]"}'],
      ['{"password":"hunter2"}', '{"password":"[REDACTED:secret]"}'],
      ['{"log":"MY_SECRET_KEY=\\"WtjyVcJtOO8l\\""}', '{"log":"MY_SECRET_KEY=\\"[REDACTED:secret]\\""}'],
      ['jdbc:mysql://h/db?user=a&password=AgYzQJjOIfP', 'jdbc:mysql://h/db?user=a&password=[REDACTED:secret]'],
      ['Uid=sa;Pwd=abc12345;', 'Uid=sa;Pwd=[REDACTED:secret];'],
      ['machine x login bob password 5AbQTS', 'machine x login bob password [REDACTED:secret]'],
      ['curl -u admin:s3cret https://x', 'curl -u [REDACTED:secret] https://x'],
      ['deploy --api-key abc123def456', 'deploy --api-key [REDACTED:secret]'],
      ['bot 1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1', 'bot 1234567890:[REDACTED:telegram_token]'],
      ['//host/:_authToken=0123456789abcdef', '//host/:_authToken=[REDACTED:secret]'],
    ];
    for (const [text = '', shown] of masked) assert.equal(maskSecrets(text), shown);
  });

  test('is not what looks like one: paths, hashes, ids, code and prose stay', () => {
    const kept = [
      'src/dispatch/attempt/start-attempt.test.ts:57:12',
      '/tmp/baton-session-flow-X7aB9q/data/runs/TASK-2026-11-17-001/receipt.json',
      '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/repo-K3xQz9',
      '/home/me/Projects/MyFirstApp2/node_modules/@types/node/index.d.ts',
      'http://localhost:3000/@scope/package?x=a@b.example',
      'ssh://git@github.com/me/it.git',
      `"integrity": "sha512-${made('base64', 86, 'x')}=="`,
      `SHA256:${made('base64', 43, 'x')}`,
      `commit ${made('hex', 40, 'x')}`,
      '550e8400-e29b-41d4-a716-446655440000',
      'run_01M7MPZZDZECJV282Y9Q7SBW0K of TASK-2026-11-17-001',
      'const token = readTokenFromRequest(request, options);',
      'password: string; secret: Secret | null',
      `h1:${made('base64', 43, 'x')}= go.sum`,
      `data:image/png;base64,${made('base64', 120, 'x')}`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${made('base64', 48, 'x')} jane@host`,
      '{"password_hash_algorithm":"argon2id"} tokenizer=cl100k_base',
      'password: getPasswordFromEnv, token: ApiKeyToken, secret: base64',
      'git push -u origin:branch12 --tokens-limit 4096',
      'token count: 120000, cost 0.12 USD',
      'doesNotThrowWhenTheQuotaOfAnAccountIsUsedUp',
    ];
    for (const text of kept) assert.equal(maskSecrets(text), text);
  });

  test('of several lines is masked in lines, in a text, in JSON and in chunks', () => {
    const body = Array.from({ length: 4 }, (_, at) => made('base64', 64, `key${at}`));
    const lines = ['-----BEGIN OPENSSH PRIVATE KEY-----', ...body, 'c2hvcnQ=', '-----END OPENSSH PRIVATE KEY-----'];
    const text = `a\n${lines.join('\n')}\nb c`;
    assert.equal(maskSecrets(text), 'a\n[REDACTED:private_key]\nb c');
    assert.equal(maskSecrets(JSON.stringify({ text })), '{"text":"a\\n[REDACTED:private_key]\\nb c"}');
    const mask = new LineMask();
    const shown = ['a', ...lines, 'b c'].map((line) => mask.line(line));
    assert.deepEqual([shown[0], shown.at(-1)], ['a', 'b c']);
    assert.ok(shown.slice(1, -1).every((line) => line === '[REDACTED:private_key]'));
    for (let at = 1; at < text.length; at++) {
      assert.equal(inChunks([text.slice(0, at), text.slice(at)]), 'a\n[REDACTED:private_key]\nb c', `at ${at}`);
    }
    assert.equal(maskSecrets(lines.slice(0, 3).join('\n')), '[REDACTED:private_key]');
  });

  test('is searched in linear time, also in a text made to be slow', () => {
    for (const part of [
      'eyJ',
      '-eyJ',
      '://a:',
      'ghp_',
      '-----BEGIN PRIVATE KEY----- ',
      'token=',
      'password: ',
      ' --token ',
      'curl -u a:',
      'SG.',
      'a/',
      'A1b2',
    ]) {
      const begun = process.cpuUsage();
      maskSecrets(part.repeat(Math.ceil(4_000_000 / part.length)));
      const { user } = process.cpuUsage(begun);
      assert.ok(user < 4_000_000, `${part}: ${user / 1_000} ms`);
    }
  });
});

test('masking chunks one by one shows the whole of a text without secrets', () => {
  const text = 'It reads the file, then runs  the tests again.\nThree fail: -----BEGIN at the top of the story';
  for (let size = 1; size < 20; size++) {
    const chunks = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    assert.equal(inChunks(chunks), text);
  }
});

test('a value is masked in its texts, ids aside, and stays the same object where nothing is masked', () => {
  const id = made('word', 40, 'id');
  const value = { call_id: id, list: [{ text: 'plain' }], commit: id };
  assert.equal(maskValue(value), value);
  assert.deepEqual(maskValue({ ...value, text: id }), { ...value, text: '[REDACTED:high_entropy]' });
  const secrets = { api_key: 'abc123def456', password: 'hunter2', Authorization: 'Bearer abc123def456' };
  const mask = '[REDACTED:secret]';
  assert.deepEqual(maskValue({ secrets, token_type: 'jwt12345', password: 'is wrong' }), {
    secrets: { api_key: mask, password: mask, Authorization: mask },
    token_type: 'jwt12345',
    password: 'is wrong',
  });
});

function inChunks(chunks: readonly string[]): string {
  let open: OpenText = NOTHING_OPEN;
  let shown = '';
  for (const [at, chunk] of chunks.entries()) {
    const next = maskChunk(open, chunk, at === chunks.length - 1);
    shown += next.text;
    open = next.open;
  }
  return shown;
}
