// npm run bench -- protocols: decode and encode of each protocol beside plain JSON, and the start of the command line
// beside that of Node. Every figure is a ratio of two things measured in turn in the same run.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROTOCOL_NAMES, type ProtocolName } from '../src/protocols/codec.ts';
import { loadCodec } from '../src/protocols/registry.ts';

const DECODE_RATIO_MAX = 3;
const VERSION_RATIO_MAX = 1.5;
const CHECK_RATIO_MAX = 3;
const WARM_UP_ROUNDS = 60;
const ROUNDS = 301;
/** Long enough for the clock; shorter than what a busy machine gives a process at once, so that most slices are whole. */
const SLICE_MS = 0.5;
const SPAWNS = 15;

/** A typical message of each protocol: an example of its document. */
const EXAMPLES: Readonly<Record<ProtocolName, string>> = {
  aop: 'aop/accepted/task-full.json',
  afp: 'afp/accepted/follow-up-request.json',
  aof: 'aof/accepted/example-1-completion-report.json',
  saop: 'saop/accepted/turn.json',
  runtime: 'runtime/accepted/task-create.json',
};

type Work = () => unknown;

/** One side of a comparison, with the times a round runs it. */
interface Measurement {
  readonly work: Work;
  readonly times: number;
}

interface Comparison {
  readonly protocol: ProtocolName;
  readonly file: string;
  readonly bytes: number;
  readonly parse: Measurement;
  readonly decode: Measurement;
  readonly stringify: Measurement;
  readonly encode: Measurement;
}

let kept: unknown;

function runMs({ work, times }: Measurement): number {
  const startedMs = performance.now();
  for (let at = 0; at < times; at++) kept = work();
  return performance.now() - startedMs;
}

/** As often as fits into a slice. */
function measured(work: Work): Measurement {
  let times = 16;
  while (runMs({ work, times }) < SLICE_MS) times *= 2;
  return { work, times };
}

async function comparisonOf(protocol: ProtocolName): Promise<Comparison> {
  const codec = await loadCodec(protocol);
  const file = EXAMPLES[protocol];
  const text = readFileSync(corpusPath(file), 'utf8').trimEnd();
  const verdict = codec.decode(text);
  if (verdict.verdict !== 'accepted') throw new Error(`${file} is not accepted: ${JSON.stringify(verdict)}`);
  const { message } = verdict;
  return {
    protocol,
    file,
    bytes: Buffer.byteLength(text),
    parse: measured(() => JSON.parse(text)),
    decode: measured(() => codec.decode(text)),
    stringify: measured(() => JSON.stringify(message)),
    encode: measured(() => codec.encode(message)),
  };
}

function corpusPath(file: string): string {
  return fileURLToPath(new URL(`../test/corpus/${file}`, import.meta.url));
}

/** How many times as long one run of `ours` takes as one of `plain`; who goes first changes from round to round. */
function ratio(ours: Measurement, plain: Measurement, round: number): number {
  const plainFirstMs = round % 2 === 0 ? runMs(plain) : 0;
  const oursMs = runMs(ours) / ours.times;
  return oursMs / ((plainFirstMs || runMs(plain)) / plain.times);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function times(value: number): string {
  return `${value.toFixed(2)}×`;
}

function row(cells: readonly string[], widths: readonly number[]): void {
  const padded = cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
}

/** True where every decode is within its bound. Rounds go over all protocols in turn, as a node meets them. */
async function benchCodecs(): Promise<boolean> {
  const comparisons = await Promise.all(PROTOCOL_NAMES.map(comparisonOf));
  const decodes = new Map(comparisons.map((each) => [each, [] as number[]]));
  const encodes = new Map(comparisons.map((each) => [each, [] as number[]]));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const each of comparisons) {
      const [decode, encode] = [ratio(each.decode, each.parse, round), ratio(each.encode, each.stringify, round)];
      if (round < 0) continue;
      decodes.get(each)?.push(decode);
      encodes.get(each)?.push(encode);
    }
  }
  const widths = [8, 45, 6, 16, 6, 7, 20];
  row(['protocol', 'message', 'bytes', 'decode/parse', 'bound', '', 'encode/stringify'], widths);
  const within = comparisons.map((each) => {
    const [decode, encode] = [median(decodes.get(each) ?? []), median(encodes.get(each) ?? [])];
    const isWithin = decode <= DECODE_RATIO_MAX;
    const bound = times(DECODE_RATIO_MAX);
    row([each.protocol, each.file, `${each.bytes}`, times(decode), bound, said(isWithin), times(encode)], widths);
    return isWithin;
  });
  return within.every(Boolean);
}

function said(isWithin: boolean): string {
  return isWithin ? 'ok' : 'over';
}

function spawnMs(command: string, args: readonly string[]): number {
  const startedMs = performance.now();
  const { status, error } = spawnSync(command, args, { stdio: 'ignore' });
  if (error ?? status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error ?? `exit ${status}`}`);
  return performance.now() - startedMs;
}

/** True where every start is within its bound. */
function benchStarts(): boolean {
  const baton = fileURLToPath(new URL('../bin/baton', import.meta.url));
  if (!existsSync(baton) || process.platform === 'win32') return true;
  const starts = [
    { name: 'baton --version', args: ['--version'], max: VERSION_RATIO_MAX },
    { name: 'baton check FILE', args: ['check', corpusPath(EXAMPLES.aop)], max: CHECK_RATIO_MAX },
  ].map((start) => ({ ...start, tookMs: [] as number[] }));
  const nodeMs: number[] = [];
  for (let round = -1; round < SPAWNS; round++) {
    const plainMs = spawnMs(process.execPath, ['-e', '0']);
    const tookMs = starts.map(({ args }) => spawnMs(baton, args));
    if (round < 0) continue;
    nodeMs.push(plainMs);
    starts.forEach((start, at) => {
      start.tookMs.push(tookMs[at] ?? Number.NaN);
    });
  }
  const widths = [20, 0, 8, 12, 6, 7];
  row(['command', '', 'ms', '/ node -e 0', 'bound', ''], widths);
  row(['node -e 0', '', median(nodeMs).toFixed(0), times(1), '', ''], widths);
  const within = starts.map(({ name, max, tookMs }) => {
    const ofNode = median(tookMs) / median(nodeMs);
    row([name, '', median(tookMs).toFixed(0), times(ofNode), times(max), said(ofNode <= max)], widths);
    return ofNode <= max;
  });
  return within.every(Boolean);
}

const codecsWithin = await benchCodecs();
process.stdout.write('\n');
const startsWithin = benchStarts();
process.stdout.write(`\n${said(codecsWithin && startsWithin)}\n`);
process.exitCode = codecsWithin && startsWithin ? 0 : 1;
if (kept === undefined) throw new Error('nothing was measured');
