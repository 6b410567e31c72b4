/**
 * A place where a test may kill the process: BATON_CRASH=name:count kills it, as kill -9 would, the count-th time it
 * gets there. Compiled out of a release.
 */
declare const BATON_CRASH_POINTS: boolean | undefined;

const isBuiltIn = typeof BATON_CRASH_POINTS === 'undefined' || BATON_CRASH_POINTS;
const [armedName, armedCount] = isBuiltIn ? (process.env.BATON_CRASH ?? '').split(':') : [];
let passed = 0;

export function crashPoint(name: string): void {
  if (!isBuiltIn || name !== armedName) return;
  passed++;
  if (passed === Number(armedCount ?? '1')) process.kill(process.pid, 'SIGKILL');
}
