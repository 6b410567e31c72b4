// The readers of one measurement, in a process of their own: read-events.ts URL READERS, the token on standard input. It
// says `ready` once all of them stand, and the delays as JSON when standard input ends.
import { get } from 'node:http';

const [url = '', readers = '1'] = process.argv.slice(2);
const TIMESTAMP = '"timestamp":"';
const INSTANT_CHARACTERS = '2026-02-09T21:00:00.000Z'.length;
const delaysMs: number[] = [];
let isMeasuring = false;

/** Measures the oldest event of each piece that arrives: it waited longest. */
function measure(piece: string): void {
  const at = piece.indexOf(TIMESTAMP);
  if (!isMeasuring || at === -1) return;
  const instant = piece.slice(at + TIMESTAMP.length, at + TIMESTAMP.length + INSTANT_CHARACTERS);
  if (instant.length === INSTANT_CHARACTERS) delaysMs.push(Date.now() - Date.parse(instant));
}

function openReader(token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    get(`${url}/v1/events`, { headers, agent: false }, (response) => {
      response.setEncoding('latin1').once('data', () => resolve());
      response.on('data', measure);
    }).on('error', reject);
  });
}

function percentile(share: number): number {
  const sorted = delaysMs.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

let token = '';
process.stdin.setEncoding('utf8').on('data', async (text: string) => {
  if (token !== '') return;
  token = text.trim();
  await Promise.all(Array.from({ length: Number(readers) }, () => openReader(token)));
  isMeasuring = true;
  process.stdout.write('ready\n');
});
process.stdin.on('end', () => {
  const figure = { pieces: delaysMs.length, p50Ms: percentile(0.5), p99Ms: percentile(0.99), maxMs: percentile(1) };
  process.stdout.write(JSON.stringify(figure), () => process.exit(0));
});
