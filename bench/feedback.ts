// npm run bench -- feedback [--rounds N] [--iterations N] [--megabytes N]
// What a review costs beside its model: one round of an exchange against the same reviewer started by hand, turn by turn in one
// sitting; a round in which an author deals with a finding, against its reviewer, author and check by hand; and a session of 50
// iterations of 1 MB artifacts, its memory and whether its time grows. Ends with 1 when a bound is broken.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BATON, type Daemon, startDaemon } from './node/daemon.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median } from './report/median.ts';
import { boundTable } from './report/table.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    iterations: { type: 'string', default: '50' },
    megabytes: { type: 'string', default: '1' },
  },
});

const OWN_MS_MAX = 150;
const MEMORY_MB_MAX = 300;
/** A session whose cost grew with its length would be far above this at its end. */
const GROWTH_MAX = 1.5;

const FINDING = {
  id: 'budget-missing',
  aspect: 'plan.md',
  description: 'The budget is missing.',
  recommendation: 'Say what it costs.',
};
const FEEDBACK = {
  confidence: { level: 'high', justification: 'It is short.' },
  positive_points: [],
  areas_for_improvement: [FINDING],
  general_summary: 'Read.',
};

/** A reviewer that costs almost nothing: it reads its request and prints an answer with its iteration. */
const REVIEWER = `i=$(head -c 120 | sed -n 's/.*"iteration":\\([0-9]*\\).*/\\1/p'); cat > /dev/null
printf '{"protocol_version":"1.2","iteration":%s,"status":"success","feedback":%s}\\n' "$i" "$(cat "$1")"`;
const AUTHOR = 'cat > /dev/null; date +%N >> plan.md';

interface Place {
  readonly folder: string;
  readonly data: string;
  readonly workspace: string;
  readonly reviewer: readonly string[];
  readonly author: readonly string[];
}

/** A repository with a plan, and a data folder whose agents are a reviewer and an author. */
function prepare(folder: string): Place {
  const workspace = join(folder, 'work');
  const data = join(folder, 'data');
  mkdirSync(workspace, { recursive: true });
  const answer = join(folder, 'answer.json');
  writeFileSync(answer, JSON.stringify(FEEDBACK));
  for (const [name, text] of [
    ['reviewer.sh', REVIEWER],
    ['author.sh', AUTHOR],
  ] as const)
    writeFileSync(join(folder, name), `${text}\n`);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, stdio: 'ignore' });
  git('init', '-q');
  for (const setting of ['name', 'email']) git('config', `user.${setting}`, 'bench@example');
  writeFileSync(join(workspace, 'plan.md'), '# Plan\n');
  git('add', '.');
  git('commit', '-qm', 'a plan');
  const reviewer = ['/bin/sh', join(folder, 'reviewer.sh'), answer];
  const author = ['/bin/sh', join(folder, 'author.sh')];
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  execFileSync(BATON, ['init', '--data', data], { env, stdio: 'ignore' });
  const agent = (command: readonly string[]) => ({
    driver: 'process',
    command,
    files: [answer],
    provider: 'OTHER',
    model: 'bench',
  });
  const agents = { critic: agent(reviewer), writer: agent(author) };
  writeFileSync(join(data, 'config.yaml'), JSON.stringify({ agents }));
  return { folder, data, workspace, reviewer, author };
}

async function call<Answer>({ url, token }: Daemon, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const how = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, how);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

interface View {
  readonly end: { readonly why: string; readonly message: string | null } | null;
  readonly facts: number;
}

/** An exchange from its request to its end, in milliseconds. */
async function exchange(daemon: Daemon, request: object, ends: string): Promise<number> {
  const startedMs = performance.now();
  const { feedback } = await call<{ feedback: string }>(daemon, '/v1/feedback', request);
  for (let after = 0; ; ) {
    const view = await call<View>(daemon, `/v1/feedback/${feedback}?after=${after}`);
    if (view.end?.why === ends) return performance.now() - startedMs;
    if (view.end !== null) throw new Error(`it ended with ${view.end.why}: ${view.end.message}`);
    after = view.facts;
  }
}

/** A program with this input, started by hand. */
async function byHand(argv: readonly string[], cwd: string, input: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(argv[0] ?? '', argv.slice(1), { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdout.resume();
  // A program may end before it has read anything.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  await once(child, 'close');
  return performance.now() - startedMs;
}

const REQUEST = JSON.stringify({
  protocol_version: '1.2',
  iteration: 1,
  artifact: { media_type: 'text/markdown', content: '# Plan\n' },
});

async function measureRounds(daemon: Daemon, { workspace, reviewer, author }: Place): Promise<readonly Judgement[]> {
  const asked = { file: 'plan.md', workspace, from: ['critic'] };
  const fixed = { ...asked, fix: 'writer', rounds: 1, checks: ['test -f plan.md'] };
  const own: { review: number[]; fix: number[] } = { review: [], fix: [] };
  for (let round = 0; round < Number(flags.rounds); round++) {
    const direct = await byHand(reviewer, workspace, REQUEST);
    const review = (await exchange(daemon, asked, 'asked-once')) - direct;
    own.review.push(review);
    const scratch = mkdtempSync(join(workspace, '..', 'by-hand-'));
    const work = await byHand(author, scratch, '');
    const check = await byHand(['test', '-d', scratch], scratch, '');
    rmSync(scratch, { recursive: true });
    // Baton runs the check before the work and after it.
    own.fix.push((await exchange(daemon, fixed, 'rounds-used')) - direct - work - 2 * check);
  }
  process.stdout.write(
    `own time of a round: ${own.review.map(Math.round).join(' ')} ms; with a change: ${own.fix.map(Math.round).join(' ')} ms\n\n`,
  );
  const bound = { sense: 'at most', unit: ' ms' } as const;
  return [
    {
      what: "Baton's own time in a round, median",
      got: median(own.review),
      bound: OWN_MS_MAX,
      ...bound,
      weight: 'bound',
    },
    {
      what: 'the same with a change in a worktree and its checks',
      got: median(own.fix),
      bound: OWN_MS_MAX,
      ...bound,
      weight: 'aim',
    },
  ];
}

interface AskedIteration {
  readonly session: string;
  readonly iteration: number;
}

/** Iterations of one session, each with a new artifact of so many megabytes. */
async function measureSession(daemon: Daemon, { data, workspace }: Place): Promise<readonly Judgement[]> {
  const { pid } = JSON.parse(readFileSync(join(data, 'node.json'), 'utf8')) as { pid: number };
  const count = Number(flags.iterations);
  const took: number[] = [];
  let session: string | undefined;
  for (let iteration = 1; iteration <= count; iteration++) {
    const line = `iteration ${iteration} of the plan, which says one thing more in every line\n`;
    const content = line.repeat(Math.ceil((Number(flags.megabytes) * 1_048_576) / line.length));
    const applied = iteration === 1 ? {} : { applied_feedback: { items: [{ id: FINDING.id, status: 'accepted' }] } };
    const request = { protocol_version: '1.2', iteration, artifact: { media_type: 'text/plain', content }, ...applied };
    const startedMs = performance.now();
    const ask = { agent: 'critic', text: JSON.stringify(request), workspace, ...(session && { session }) };
    const taken = await call<AskedIteration>(daemon, '/v1/feedback/ask', ask);
    session = taken.session;
    const wait = `/v1/feedback/answer?session=${session}&iteration=${iteration}`;
    const { answer } = await call<{ answer: { isSuccess: boolean } | null }>(daemon, wait);
    if (answer?.isSuccess !== true) throw new Error(`iteration ${iteration} was not answered`);
    took.push(performance.now() - startedMs);
  }
  const part = Math.max(1, Math.floor(count / 5));
  const [early, late] = [median(took.slice(0, part)), median(took.slice(-part))];
  process.stdout.write(`an iteration takes ${Math.round(early)} ms at first and ${Math.round(late)} ms at the end\n\n`);
  const what = `a session of ${count} iterations of ${flags.megabytes} MB artifacts`;
  return [
    {
      what: `${what}, peak memory of the node`,
      got: peakMb(pid),
      bound: MEMORY_MB_MAX,
      sense: 'at most',
      unit: ' MB',
      weight: 'bound',
    },
    {
      what: `${what}, its last iterations to its first`,
      got: late / early,
      bound: GROWTH_MAX,
      sense: 'at most',
      unit: '×',
      weight: 'bound',
    },
  ];
}

function peakMb(pid: number): number {
  const [, kib = Number.NaN] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kib) * 1_024) / 1_000_000;
}

/** Measures with a node of its own: nothing that another measure did counts. */
async function withNode<Result>(measure: (daemon: Daemon, place: Place) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(process.env['TMPDIR'] ?? '/var/tmp', 'baton-bench-feedback-'));
  try {
    const place = prepare(folder);
    const daemon = await startDaemon(place.data);
    try {
      return await measure(daemon, place);
    } finally {
      await daemon.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rounds = await withNode(async (daemon, place) => {
  // The first round loads what most commands do not need.
  await exchange(daemon, { file: 'plan.md', workspace: place.workspace, from: ['critic'] }, 'asked-once');
  return await measureRounds(daemon, place);
});
const judgements = [...rounds, ...(await withNode(measureSession))];
process.stdout.write(boundTable(judgements));
process.exitCode = judgements.some(isBroken) ? 1 : 0;
