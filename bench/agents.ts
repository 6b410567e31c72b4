// npm run bench -- agents [--rounds N] [--only NAME]
// Baton's own time over a vendor's program: `baton run` with a node that stays, against the same program with the same
// words in the same sandbox, in turn; both ask a scripted model on this machine that answers at once. Prints the phases
// of `baton run`, and ends with 1 when a bound is broken. Then the time that a line of an agent takes to a reader of the
// event stream.
import { parseArgs } from 'node:util';
import { CliStage } from '../test/support/agent/cli-stage.ts';
import { CLAUDE, CODEX, GEMINI, noVendorCli, OPENCODE, type VendorCli } from '../test/support/agent/vendor-cli.ts';
import { lineDelays } from './agents/line-delays.ts';
import { runAlone } from './agents/run-alone.ts';
import { PHASES, phasesOf } from './agents/run-phases.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median } from './report/median.ts';
import { boundTable, table } from './report/table.ts';

const RATIO_MAX = 1.2;
const ABOVE_MS_MAX = 150;
const LINE_MS_MAX = 50;

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
});

interface Round {
  readonly aloneMs: number;
  readonly batonMs: number;
  readonly phases: readonly number[];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function runByBaton(stage: CliStage): Promise<void> {
  const { status, stdout, stderr } = await stage.startRun().ended;
  // Without a check the work is unchecked.
  if (status !== 3) throw new Error(`baton run ended with ${status}: ${stdout}${stderr}`);
}

async function measure(vendor: VendorCli, rounds: number): Promise<readonly Round[]> {
  const stage = await CliStage.begin([vendor]);
  await stage.baton('up', '-d');
  try {
    const measured: Round[] = [];
    // The first round warms both up.
    for (let at = 0; at <= rounds; at++) {
      const aloneMs = await timed(() => runAlone(vendor, stage));
      const startedMs = Date.now();
      const batonMs = await timed(() => runByBaton(stage));
      const phases = await phasesOf(stage, startedMs, startedMs + batonMs);
      if (at > 0) measured.push({ aloneMs, batonMs, phases });
    }
    return measured;
  } finally {
    await stage.baton('down');
  }
}

const judgements: Judgement[] = [];
const rows: string[][] = [];
const phaseRows: string[][] = [];
const about = { sense: 'at most', weight: 'bound' } as const;

for (const vendor of [CLAUDE, CODEX, GEMINI, OPENCODE].filter(({ name }) => (flags.only ?? name) === name)) {
  const note = noVendorCli(vendor.name);
  const rounds = note === false ? await measure(vendor, Number(flags.rounds)) : [];
  const [alone, baton] = [rounds.map(({ aloneMs }) => aloneMs), rounds.map(({ batonMs }) => batonMs)].map(median);
  rows.push([vendor.name, note || `${Math.round(alone ?? 0)} ms`, note ? '' : `${Math.round(baton ?? 0)} ms`]);
  const phases = PHASES.map((_, at) => Math.round(median(rounds.map((round) => round.phases[at] ?? 0)) ?? 0));
  if (!note) phaseRows.push([vendor.name, ...phases.map((ms) => `${ms} ms`)]);
  const ratio = note ? null : median(rounds.map(({ aloneMs, batonMs }) => batonMs / aloneMs));
  const above = note ? null : median(rounds.map(({ aloneMs, batonMs }) => batonMs - aloneMs));
  const why = note ? { note } : {};
  judgements.push({
    what: `${vendor.name}: baton run / alone`,
    got: ratio,
    bound: RATIO_MAX,
    unit: '×',
    ...about,
    ...why,
  });
  judgements.push({
    what: `${vendor.name}: above alone`,
    got: above,
    bound: ABOVE_MS_MAX,
    unit: ' ms',
    ...about,
    ...why,
  });
}
const delays = [...(await lineDelays())].sort((a, b) => a - b);
judgements.push({
  what: `a line to a reader, p99 of ${delays.length}`,
  got: delays[Math.floor(delays.length * 0.99)] ?? null,
  bound: LINE_MS_MAX,
  unit: ' ms',
  ...about,
});
const tables = [table(['', 'alone', 'baton run'], rows), table(['', ...PHASES], phaseRows), boundTable(judgements)];
// What the stages of the tests left open would keep it from ending.
process.stdout.write(tables.join('\n'), () => process.exit(judgements.some(isBroken) ? 1 : 0));
