import type { Look } from './look.ts';

const CELLS = 20;

/** How far it is, as the agent itself says. */
export function progressBar(percentage: number, look: Look): string {
  const share = Math.min(100, Math.max(0, Number.isFinite(percentage) ? percentage : 0));
  const full = Math.round((share / 100) * CELLS);
  return `${look.good('█'.repeat(full))}${look.faint('░'.repeat(CELLS - full))} ${String(Math.round(share)).padStart(3)} %`;
}
