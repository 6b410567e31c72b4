import assert from 'node:assert/strict';
import { type Damaged, KINDS, openDamaged, soundLedger } from './damage-ledger.ts';

const NOT_STRUCTURE = /^(?!integrity:)/;

/**
 * A log has checksums: what opens is a state that was once committed. A page has none: SQLite knows that its structure
 * is whole, not that a letter of a title is the one that was written. So there every row must be present, and sound.
 */
export async function tryDamage(target: Damaged, times: number): Promise<string> {
  const sound = await soundLedger();
  const seen = { refused: 0, whole: 0, earlier: 0, 'with a changed text': 0 };
  // A log may well have ended where it ends; one with bad bytes inside may not pass, but in its last commit.
  let passed = 0;
  for (let number = 0; number < times; number++) {
    const kind = KINDS[number % KINDS.length] ?? '';
    const opened = openDamaged(sound.folder, target, { kind, number });
    const what = `${target} ${number}: ${kind}`;
    if (opened.isRefused) {
      seen.refused++;
      continue;
    }
    if (!/missing/.test(kind)) passed++;
    const isAll = opened.tasks === sound.tasks && opened.events === sound.events;
    if (target === 'log') {
      assert.deepEqual(opened.findings, [], what);
      assert.ok(opened.tasks > 0 && opened.events <= sound.events, what);
    } else {
      assert.ok(isAll, `${what}: ${opened.tasks} tasks, ${opened.events} events`);
      assert.deepEqual(
        opened.findings.filter((finding) => !NOT_STRUCTURE.test(finding)),
        [],
        what,
      );
    }
    seen[isAll ? (opened.findings.length > 0 ? 'with a changed text' : 'whole') : 'earlier']++;
  }
  if (target === 'log') assert.ok(passed <= times / 10, `${passed} logs with bad bytes inside were cut off in silence`);
  return Object.entries(seen)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
