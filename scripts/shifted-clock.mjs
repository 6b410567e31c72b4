// Loaded before everything else of a process (NODE_OPTIONS, see test-clock.mjs): its wall clock is ahead by the `ms` of this
// module's address, and so are the times of its files, as on a machine whose clock is. The Node processes that it starts inherit
// both. Timers, performance.now() and process.hrtime() stay: they are monotonic. Programs that are no Node (git, find,
// nats-server) have the real time.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Whole seconds, so that the time of a file is the same after it was set and read.
const shiftSeconds = Math.round(Number(new URL(import.meta.url).searchParams.get('ms')) / 1_000);
const shiftMs = shiftSeconds * 1_000;
const RealDate = Date;

function shiftDate() {
  const now = () => RealDate.now() + shiftMs;
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  RealDate.prototype.constructor = globalThis.Date;
}

/** Every kind of stat assigns these names to a new object, and a setter of its prototype sees it. */
function shiftStats() {
  const kinds = [fs.statSync('/'), fs.statSync('/', { bigint: true })].map((stats) => Object.getPrototypeOf(stats));
  for (const prototype of kinds) {
    for (const name of ['atime', 'mtime', 'ctime', 'birthtime'])
      for (const [unit, factor] of /** @type {const} */ ([
        ['Ms', 1],
        ['Ns', 1_000_000],
      ]))
        Object.defineProperty(prototype, `${name}${unit}`, {
          /** @param {number | bigint} value */
          set(value) {
            const shifted = typeof value === 'bigint' ? value + BigInt(shiftMs * factor) : value + shiftMs * factor;
            const field = { value: shifted, enumerable: true, configurable: true, writable: true };
            Object.defineProperty(this, `${name}${unit}`, field);
          },
        });
  }
}

/** @param {number | string | Date} time as utimes takes it */
function realSeconds(time) {
  return (time instanceof RealDate ? time.getTime() / 1_000 : Number(time)) - shiftSeconds;
}

/** @param {Record<string, Function>} owner @param {string[]} names */
function shiftSetters(owner, names) {
  for (const name of names) {
    const real = /** @type {Function} */ (owner[name]);
    /** @param {[unknown, number | Date, number | Date]} args */
    owner[name] = (...[file, atime, mtime, ...rest]) => real(file, realSeconds(atime), realSeconds(mtime), ...rest);
  }
}

if (shiftMs !== 0) {
  shiftStats();
  shiftSetters(/** @type {any} */ (fs), ['utimesSync', 'lutimesSync', 'futimesSync', 'utimes', 'lutimes', 'futimes']);
  shiftSetters(/** @type {any} */ (fs.promises), ['utimes', 'lutimes']);
  syncBuiltinESMExports();
  shiftDate();
}
