import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../../support/run-baton.ts';
import { RunStage } from '../../support/run-stage.ts';
import { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-words');
stage.configure({ agents: { gone: { driver: 'process', command: ['no-such-program-x'] } } });
const { root } = stage.repository();
mkdirSync(join(stage.folder, 'folder'));
for (const [file, text] of [
  ['empty.md', ' \n'],
  ['list.json', '[1, 2]'],
  ['half.json', '{"a": 1'],
]) {
  writeFileSync(join(stage.folder, file ?? ''), text ?? '');
}

interface Case {
  readonly args: readonly string[];
  readonly input?: string;
  readonly error: RegExp;
  readonly hint: RegExp;
}

const empty = new TestRepository({ isEmpty: true }).root;
const WORKTREE = ['do it', '--agent', 'demo', '--worktree'];
const RESPONSE = join(ROOT, 'examples', 'messages', 'aop-response.json');
const CASES: readonly Case[] = [
  { args: [], error: /^run: no task given: standard input is empty$/, hint: /^baton run "add tests/ },
  { args: ['-'], input: ' \n', error: /no task given/, hint: /^baton run "/ },
  { args: [''], error: /^run: no task given$/, hint: /^baton run "/ },
  { args: ['empty.md'], error: /no task given: empty\.md is empty$/, hint: /^baton run "/ },
  {
    args: ['no.json'],
    error: /^cannot read no\.json: the file does not exist$/,
    hint: /ending in \.json, \.md or \.txt/,
  },
  { args: ['folder/'], error: /^cannot read folder\/: it is a folder$/, hint: /--workspace folder\/$/ },
  { args: ['list.json'], error: /^this is JSON, but no AOP message$/, hint: /plain words.*baton schema aop TASK/ },
  { args: ['half.json'], error: /not readable as JSON/, hint: /baton check FILE/ },
  { args: [RESPONSE], error: /^this is a RESPONSE, and only a TASK can be run$/, hint: /give the TASK itself/ },
  { args: ['do it', '--agent', 'dmeo'], error: /^no agent is named dmeo; did you mean demo\?$/, hint: /baton agents/ },
  { args: ['do it', '--agent', 'nobody'], error: /^no agent is named nobody$/, hint: /baton agents/ },
  {
    args: ['do it', '--agent', 'gone'],
    error: /^gone is set up, but not ready: no-such-program-x/,
    hint: /baton agents/,
  },
  { args: ['do it'], error: /^several agents are ready; name one$/, hint: /--agent NAME.*default_agent NAME/ },
  {
    args: ['do it', '--agent', 'demo', '--net', 'npn'],
    error: /"npn" is neither.*did you mean npm\?$/,
    hint: /github/,
  },
  {
    args: [...WORKTREE, '--workspace', empty],
    error: /^nothing is committed in .* yet, so Baton cannot create a worktree$/,
    hint: /^commit in the folder, or order it without a worktree$/,
  },
  {
    args: [...WORKTREE, '--workspace', stage.folder],
    error: /is not in git, so Baton cannot create a worktree$/,
    hint: /order it without a worktree$/,
  },
  { args: ['do it', '--timout', '3'], error: /^run: unknown option '--timout'$/, hint: /^did you mean --timeout\?$/ },
  { args: ['do it', '--budget', '-3'], error: /^--budget: "-3" is not an amount of money$/, hint: /^--budget 2\.50$/ },
  {
    args: ['do it', '--retries', '-1'],
    error: /^--retries: "-1" is not a number from 0 to 20$/,
    hint: /^--retries 2$/,
  },
  { args: ['do it', '--check', '-x'], error: /the value of '--check' begins with a dash$/, hint: /^--check=-x$/ },
  {
    args: ['do it', '--agent', 'demo', '--workspace', '/nonexistent'],
    error: /^\/nonexistent is not there$/,
    hint: /^make the folder, or correct its path$/,
  },
];

describe('what cannot be run is refused in one sentence, with what to do', { concurrency: 2 }, () => {
  for (const { args, input, error, hint } of CASES) {
    const shown = args.map((arg) => (arg.startsWith('/') ? basename(arg) : arg)).join(' ');
    test(`baton run ${shown}`, async () => {
      const call = { folder: stage.folder, ...(input !== undefined && { input: [input] }) };
      const run = await stage.data.run(['run', '--workspace', root, ...args, '--json'], call);
      assert.equal(run.status, 2, run.stdout);
      const value = JSON.parse(run.stdout) as { verdict: string; errors: { message: string }[]; hint: string };
      assert.equal(value.verdict, 'refused');
      assert.match(value.errors[0]?.message ?? '', error);
      assert.match(value.hint, hint);
      assert.match(run.stderr, /^error: .+\n( {2}.+\n)*try: .+\n$/);
    });
  }
});
