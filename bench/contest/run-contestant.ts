// The process of one measurement: run-contestant.ts FILE EXPORT ROUND, the figure as JSON on standard output.
import type { Contestant, Round } from './contestant.ts';

const [file, name, round] = process.argv.slice(2);
if (file === undefined || name === undefined || round === undefined)
  throw new Error('run-contestant.ts FILE EXPORT ROUND');
const contestant = ((await import(file)) as Record<string, Contestant>)[name];
if (contestant === undefined) throw new Error(`${file} has no ${name}`);
const figure = await contestant(JSON.parse(round) as Round);
// A peer's idle connections must not keep a measurement from ending.
process.stdout.write(JSON.stringify(figure), () => process.exit(0));
