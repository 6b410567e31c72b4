/**
 * A point where a test may kill the process: with BATON_CRASH=name:count it dies, as by kill -9, when it reaches the
 * point for the count-th time. Compiled out of a release.
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
