// Starts a process by a sandbox (`none` or `bubblewrap`), with a run, and a second one that left its session; says so
// when both are there, and stays.
import { BubblewrapSandbox } from '../../../src/agents/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { OpenSandbox } from '../../../src/agents/sandbox/open/open-sandbox.ts';
import { NOTHING, PLAIN_ENV } from '../test-process.ts';

const [, , name, run = ''] = process.argv;
const sandbox = name === 'none' ? new OpenSandbox() : new BubblewrapSandbox('/usr/bin/bwrap');
await sandbox.start({
  argv: ['/bin/sh', '-c', 'setsid sleep 600 & echo up; exec sleep 600'],
  cwd: '/',
  env: { ...PLAIN_ENV, BATON_RUN: run },
  stdin: '',
  grant: NOTHING,
  secrets: [],
  onLine: ({ text }) => console.log(text),
});
