/** A format of secrets: the literals that it begins with, and a pattern for the rest. */
type Format = readonly [kind: string, prefixes: readonly string[], rest: string];

const FORMATS: readonly Format[] = [
  [
    'aws_key',
    ['AKIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ASIA', 'ABIA', 'ACCA'],
    '[A-Z0-9]{16}(?![A-Za-z0-9])',
  ],
  ['aws_key', ['A3T'], '[A-Z0-9]{17}(?![A-Za-z0-9])'],
  ['github_token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'], '\\w{20,512}(?:\\.[\\w-]{1,2048}){0,2}'],
  [
    'gitlab_token',
    [
      ...['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glrtr-', 'glcbt-', 'glft-', 'glsoat-', 'gloas-'],
      ...['glimt-', 'glagent-', 'glffct-', 'glwt-'],
    ],
    '[\\w-]{16,512}(?:\\.[\\w-]{2,16}){0,2}',
  ],
  ['anthropic_key', ['sk-ant-'], '[\\w-]{16,512}'],
  ['api_key', ['sk-'], '[\\w-]{20,512}'],
  ['google_key', ['AIza'], '[\\w-]{30,64}'],
  ['google_token', ['ya29.', 'GOCSPX-'], '[\\w-]{20,2048}'],
  [
    'slack_token',
    ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    '[\\w%-]{10,512}',
  ],
  ['slack_webhook', ['hooks.slack.com/'], '(?:services|workflows|triggers)/[\\w/+-]{16,256}'],
  ['discord_webhook', ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'], '\\d{1,32}/[\\w-]{20,256}'],
  ['stripe_key', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'], '[A-Za-z0-9+/=]{16,512}'],
  ['npm_token', ['npm_'], '\\w{30,128}'],
  ['pypi_token', ['pypi-'], '[\\w-]{40,1024}'],
  ['sendgrid_key', ['SG.'], '[\\w-]{8,128}\\.[\\w-]{8,256}'],
  ['shopify_token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[A-Za-z0-9]{32,128}'],
  ['huggingface_token', ['hf_'], '[A-Za-z0-9]{30,128}'],
  ['groq_key', ['gsk_'], '[A-Za-z0-9]{30,128}'],
  ['xai_key', ['xai-'], '[\\w-]{30,256}'],
  ['replicate_token', ['r8_'], '[A-Za-z0-9]{30,128}'],
  ['perplexity_key', ['pplx-'], '[A-Za-z0-9]{30,128}'],
  ['linear_key', ['lin_api_', 'lin_oauth_'], '\\w{32,256}'],
  ['notion_token', ['ntn_', 'secret_'], '[A-Za-z0-9]{40,128}'],
  ['figma_token', ['figd_'], '[\\w-]{30,256}'],
  ['airtable_token', ['pat'], '[A-Za-z0-9]{14}\\.[a-f0-9]{40,128}'],
  ['grafana_token', ['glc_', 'glsa_'], '[\\w+/=-]{32,1024}'],
  ['onepassword_token', ['ops_ey'], '[\\w+/=-]{40,4096}'],
  ['vault_token', ['hvs.', 'hvb.', 'hvr.'], '[\\w-]{20,512}'],
  ['vercel_token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], '[A-Za-z0-9]{20,128}'],
  ['databricks_token', ['dapi'], '[A-Fa-f0-9]{32,64}(?:-\\d)?'],
  ['docker_token', ['dckr_pat_', 'dckr_oat_'], '[\\w-]{20,128}'],
  ['cloudflare_token', ['cfk_', 'cfut_', 'cfat_'], '[A-Za-z0-9]{40,128}'],
  ['digitalocean_token', ['doo_v1_', 'dop_v1_', 'dor_v1_', 'dot_v1_'], '[a-f0-9]{40,128}'],
  ['tailscale_key', ['tskey-'], '[\\w-]{24,256}'],
  ['twilio_key', ['SK'], '[0-9a-f]{32}(?![0-9a-f])'],
  ['mailgun_key', ['key-'], '[0-9a-f]{32}(?![0-9a-f])'],
  ['square_token', ['sq0atp-', 'sq0csp-', 'sq0idp-'], '[\\w-]{20,128}'],
  ['supabase_key', ['sbp_', 'sb_secret_'], '\\w{20,128}'],
  ['planetscale_token', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], '[\\w=.-]{20,256}'],
  ['doppler_token', ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'], '[\\w.-]{20,256}'],
  ['sentry_token', ['sntrys_', 'sntryu_'], '[\\w+/=-]{30,1024}'],
  ['newrelic_key', ['NRAK-'], '[A-Z0-9]{20,64}'],
  ['atlassian_token', ['ATATT3', 'ATCTT3', 'ATBB'], '[\\w=-]{20,512}'],
  ['postman_key', ['PMAK-'], '[\\w-]{30,256}'],
  ['heroku_key', ['HRKU-'], '[\\w-]{30,256}'],
  ['age_key', ['AGE-SECRET-KEY-1'], '[A-Z0-9]{40,128}'],
  ['azure_key', ['AccountKey=', 'SharedAccessKey=', 'sig='], '[\\w+/%=-]{30,512}'],
  ['rubygems_key', ['rubygems_'], '[a-f0-9]{40,64}'],
  ['pulumi_token', ['pul-'], '[a-f0-9]{40}(?![a-f0-9])'],
  ['dynatrace_token', ['dt0c01.', 'dt0s01.'], '[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['nvidia_key', ['nvapi-'], '[\\w-]{40,128}'],
  ['together_key', ['tgp_v1_'], '[\\w-]{30,128}'],
  ['sourcegraph_token', ['sgp_'], '\\w{40,128}'],
  ['sonar_token', ['squ_', 'sqp_', 'sqa_'], '[a-f0-9]{40}(?![a-f0-9])'],
  ['posthog_key', ['phx_'], '\\w{30,128}'],
  ['contentful_token', ['CFPAT-'], '[\\w-]{30,128}'],
  ['square_token', ['EAAA'], '[\\w-]{60}(?![\\w-])'],
  ['alibaba_key', ['LTAI'], '[A-Za-z0-9]{16,26}(?![A-Za-z0-9])'],
  // The number of a bot, which is public, and its secret.
  ['telegram_token', ['AA'], '(?<=\\d{6}:AA)[\\w-]{32,36}(?![\\w-])'],
  // Base64 of the digits of an account, a time, a signature.
  [
    'discord_token',
    ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    '[\\w-]{20,28}\\.[\\w-]{6}\\.[\\w-]{27,40}',
  ],
  // RFC 7519: header, claims and signature.
  ['jwt', ['eyJ'], '[\\w-]{8,8192}\\.[\\w-]{8,8192}(?:\\.[\\w-]{0,8192}){0,3}'],
];

export interface KnownFormat {
  readonly kind: string;
  /** Sticky. */
  readonly pattern: RegExp;
  /** A secret begins where no character of its own parts is before it: so the search stays linear. */
  readonly isDelimited: boolean;
}

/** Formats by the first two characters of a secret, `codeOf` of which is their place; null where none begins so. */
export const FORMATS_BY_BEGINNING: readonly (readonly KnownFormat[] | null)[] = byBeginning();

/** The code of two ASCII characters. */
export function codeOf(first: number, second: number): number {
  return (first << 7) | second;
}

function byBeginning(): readonly (readonly KnownFormat[] | null)[] {
  const table: (KnownFormat[] | null)[] = new Array(128 * 128).fill(null);
  for (const [kind, prefixes, rest] of FORMATS) {
    for (const prefix of prefixes) {
      const pattern = new RegExp(prefix.replaceAll('.', '\\.') + rest, 'y');
      const code = codeOf(prefix.charCodeAt(0), prefix.charCodeAt(1));
      table[code] = [...(table[code] ?? []), { kind, pattern, isDelimited: kind === 'jwt' }];
    }
  }
  return table;
}

/** RFC 3986: the user part of an authority, with a password. It ends before a path, a query and a fragment. */
export const URL_CREDENTIALS = /:\/\/([^\s:/@?#"'`<>\\]*:[^\s/?#"'`<>\\]+)@/g;

/** RFC 7468, also escaped in JSON; a key without its end goes to the end of the text. */
export const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY[A-Z ]{0,16}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY[A-Z ]{0,16}-----|$)/g;
