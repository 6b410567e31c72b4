// The version alone is answered without loading anything: a shell prompt may ask for it.
declare const BATON_VERSION: string;

if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  process.stdout.write(`${BATON_VERSION}\n`);
} else {
  const { runCommandLine } = await import('./cli/run-command-line.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2), BATON_VERSION);
}
