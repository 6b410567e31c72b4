import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resetIn } from './reset-text.ts';

test('the words of each vendor for a reset', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    // Codex 0.166: another day, the same day; Codex 0.39.
    [
      'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Nov 17th, 2026 12:17 AM.',
      { kind: 'at', wallMs: new Date(2026, 10, 17, 0, 17).getTime() },
    ],
    ["You've hit your usage limit. Try again at 3:05 PM.", { kind: 'at-time', hour: 15, minute: 5 }],
    ["You've hit your usage limit. Try again at 12:30 AM.", { kind: 'at-time', hour: 0, minute: 30 }],
    [
      "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.",
      { kind: 'in', ms: ((2 * 24 + 17) * 60 + 14) * 60_000 },
    ],
    // Gemini CLI by a Google account, and by a key.
    [
      'You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.',
      { kind: 'in', ms: ((8 * 60 + 44) * 60 + 7) * 1_000 },
    ],
    ['Your quota will reset after 5s.. Retrying after 6173ms...', { kind: 'in', ms: 5_000 }],
    ['You exceeded your current quota. Please retry in 34.07s.', { kind: 'in', ms: 34_070 }],
    ['Suggested retry after 34.07s.. Retrying after 40095ms...', { kind: 'in', ms: 34_070 }],
    ['You have exhausted your daily quota on this model.', null],
    ['Quota exceeded. Check your plan and billing details.', null],
    ['the model resets in style', null],
  ];
  for (const [text, reset] of cases) assert.deepEqual(resetIn(text), reset, text);
});
