import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ackedRecipients } from './acked-recipients.ts';

test('the event and the node decide, and a name narrows it down where it fits', () => {
  const rows: [recipients: string[], ackedBy: string | null, acked: string[]][] = [
    [['emma'], 'emma', ['emma']],
    [['emma@gate'], 'emma', ['emma@gate']],
    [['emma'], 'emma@gate', ['emma']],
    [['gate'], 'emma', ['gate']],
    [['emma'], 'gate', ['emma']],
    [['emma', 'critic'], 'critic', ['critic']],
    [['emma', 'critic'], 'somebody', ['emma', 'critic']],
    [['emma', 'critic'], null, ['emma', 'critic']],
    [[], 'emma', []],
  ];
  for (const [recipients, ackedBy, acked] of rows) assert.deepEqual(ackedRecipients(recipients, ackedBy), acked);
});
