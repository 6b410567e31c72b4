import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeAop } from './decode.ts';
import { encodeAop } from './encode.ts';
import type { AopMessage } from './kinds.ts';
import { isV1Markdown, readV1Markdown, type V1Prompt } from './v1-markdown.ts';

describe('AOP §1.3: what is v1 markdown', () => {
  const yes: [string, string][] = [
    ['a heading', '# ORCHESTRATION_TASK\n'],
    ['a heading of another level with more words', 'Hello\n\n### The ORCHESTRATION_TASK of today'],
    ['a protocol line', 'PROTOCOL: AOP v1'],
    ['a protocol line, bold, in any case', '**Protocol:** aop V1\n'],
    ['a protocol line in a quote', '> PROTOCOL: AOP v1.3'],
    ['three numbered sections', '1. ENVIRONMENT\n2. TOOLING\n3. CONTEXT'],
    ['three numbered sections as headings', '## 1. Environment\n\n## 4) **INSTRUCTIONS**\n\n## 7. Closure'],
    ['two key lines', 'task: do it\nagent: codex'],
    ['two key lines, bold, far apart', '**Objective:** do it\n\n\n- **Executor:** codex'],
    ['two key lines with DOS line ends', 'Context: a\r\nRequirements: b\r\n'],
  ];
  for (const [name, text] of yes) it(`${name} is`, () => assert.equal(isV1Markdown(text), true));

  const no: [string, string][] = [
    ['nothing', ''],
    ['prose', 'Please fix the login page. The task: see above.'],
    ['the words without a heading', 'ORCHESTRATION_TASK'],
    ['a hash without a blank', '#ORCHESTRATION_TASK'],
    ['another version', 'PROTOCOL: AOP v2'],
    ['a version that only starts alike', 'PROTOCOL: AOP v10'],
    ['a protocol line of another', 'PROTOCOL: HTTP v1'],
    ['two numbered sections', '1. ENVIRONMENT\n2. TOOLING'],
    ['the same section three times', '1. CONTEXT\n2. CONTEXT\n3. CONTEXT'],
    ['sections without numbers', '# ENVIRONMENT\n# TOOLING\n# CONTEXT'],
    ['sections that only start alike', '1. ENVIRONMENTAL\n2. TOOLINGS\n3. CONTEXTS'],
    ['one key line', 'task: do it'],
    ['words before the key', 'my task: a\nyour agent: b'],
    ['keys that only start alike', 'tasks: a\nagents: b'],
  ];
  for (const [name, text] of no) it(`${name} is not`, () => assert.equal(isV1Markdown(text), false));
});

describe('AOP v1 as it is read', () => {
  const rows: [name: string, text: string, objective: string | null][] = [
    [
      'the section Objective',
      '# ORCHESTRATION_TASK\n**Task:** short\n## Objective\n\nDo it.\n\nAll of it.\n## Inputs\n- a',
      'Do it.\n\nAll of it.',
    ],
    ['the line objective', 'objective: do it\nagent: codex', 'do it'],
    ['the line task', '**Task:** do it\n**Agent:** codex', 'do it'],
    ['the instructions', '1. ENVIRONMENT\nlinux\n4. INSTRUCTIONS\nDo it.\n7. CLOSURE\nbye', 'Do it.'],
    ['the requirements', 'Requirements: be kind\nContext: none', 'be kind'],
    ['none', '# ORCHESTRATION_TASK\n', null],
    ['an empty line is none', 'objective:\nagent: codex', null],
  ];
  for (const [name, text, objective] of rows) {
    it(`the objective is ${name}`, () => assert.equal(readV1Markdown(text).objective, objective));
  }

  it('fields are by lower-case name, the first counts; no name reaches a prototype', () => {
    const { fields } = readV1Markdown('**Task ID:** T-1\nTask ID: T-2\nconstructor: x\n__proto__: y');
    assert.deepEqual({ ...fields }, { 'task id': 'T-1', constructor: 'x', proto: 'y' });
    assert.equal(({} as Record<string, unknown>).x, undefined);
  });

  it('the text is kept whole and goes out as it came in', () => {
    const text = '# ORCHESTRATION_TASK\r\n\r\n  odd \u0000 text\n';
    const verdict = decodeAop(text);
    assert.ok(verdict.verdict === 'accepted');
    assert.equal(verdict.kind, 'V1');
    assert.equal(encodeAop(verdict.message as AopMessage), text);
    assert.deepEqual(decodeAop(encodeAop(verdict.message)), verdict);
    assert.equal((verdict.message as V1Prompt).text, text);
  });
});
