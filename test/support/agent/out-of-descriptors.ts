// Takes every descriptor that is left but so many, starts programs in each way Baton has, and tells how that went.
import { closeSync, openSync, readdirSync } from 'node:fs';
import { OpenSandbox } from '../../../src/agents/sandbox/open/open-sandbox.ts';
import { checkInChild } from '../../../src/ledger/check-in-child.ts';
import { runProgram } from '../../../src/platform/process/run-program.ts';

const left = Number(process.argv[2]);
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  for (const fd of taken.splice(-left)) closeSync(fd);
}
const sandbox = new OpenSandbox();
const network = { level: 'NONE', hosts: [], loopbackPorts: [] } as const;
const grant = { readPaths: [], writePaths: [], mounts: [], hiddenPaths: [], network };
const start = async () => {
  const rest = { cwd: '/', env: {}, stdin: '', grant, secrets: [], onLine: () => {} };
  const live = await sandbox.start({ argv: ['/bin/true'], ...rest });
  const end = await live.ended;
  return end.kind === 'exited' ? end.kind : `${end.kind}: ${end.reason}`;
};
const run = async () => {
  const call = { argv: ['/bin/true'], cwd: '/', env: {}, timeoutMs: 5_000, outputBytesMax: 100 };
  const { startError, exitCode } = await runProgram(call);
  return startError === null ? exitCode : 'not-started';
};
const look = async () => await checkInChild('/nowhere').finding.then(String, () => 'not-made');
const openNow = () => readdirSync('/proc/self/fd').length;
await start();
const before = openNow();
const during = [await start(), await run(), await look()];
const leaked = openNow() - before;
for (const fd of taken) closeSync(fd);
const after = [await start(), await run()];
console.log(JSON.stringify({ during, after, leaked }));
