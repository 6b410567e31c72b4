import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { NOTHING, noBubblewrap, runShell, scratchFolder } from '../../../../test/support/test-process.ts';
import type { Grant } from '../sandbox.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();
const options = { skip: noBubblewrap };

interface Place {
  readonly folder: string;
  readonly workspace: string;
  readonly secret: string;
}

/** A workspace, and beside it what is none of the agent's business. */
function place(): Place {
  const folder = mkdtempSync(join(scratch, 'place-'));
  const workspace = join(folder, 'ws');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  writeFileSync(join(workspace, 'src', 'a.txt'), 'a');
  mkdirSync(join(folder, 'ws-evil'));
  const secret = join(folder, 'secret.txt');
  writeFileSync(secret, 'the secret');
  return { folder, workspace, secret };
}

function sh(command: string, cwd: string, grant: Partial<Grant>) {
  return runShell(sandbox, command, { cwd, grant: { ...NOTHING, ...grant } });
}

test('a process writes where it may, and what it wrote is there', options, async () => {
  const { workspace } = place();
  const { end } = await sh('echo new > src/b.txt && rm src/a.txt && mkdir -p x/y && mv src x/', workspace, {
    writePaths: [workspace],
  });
  assert.ok(end.kind === 'exited' && end.exitCode === 0);
  assert.equal(readFileSync(join(workspace, 'x/src/b.txt'), 'utf8'), 'new\n');
});

test('nothing outside of the grant is there to be read, written, renamed or linked to', options, async () => {
  const { folder, workspace, secret } = place();
  writeFileSync(join(folder, 'ws-evil', 'c.txt'), 'c');
  const commands = [
    `cat ${secret}`,
    `cat ../secret.txt`,
    `cat ${folder}/ws-evil/c.txt`,
    `cat /proc/1/root${secret}`,
    `cat /proc/self/root/..${secret}`,
    'cat /etc/shadow',
    `ls ${process.cwd()}/src`,
    'ls /root',
    'ls /home',
    'touch /usr/bin/new',
    'touch /etc/new',
    'touch /new',
    `mv ${folder}/ws-evil ${folder}/ws2`,
    `touch ${folder}/new && test -e ${secret}`,
    `mv ${workspace} ${folder}/moved`,
    `ln ${secret} link && cat link`,
    'mount -t tmpfs none /mnt',
    'mknod device b 8 0',
    'chroot . true',
  ];
  for (const command of commands) {
    const { stdout, end } = await sh(`${command} 2>&1`, workspace, { writePaths: [workspace] });
    assert.ok(end.kind === 'exited' && end.exitCode !== 0, `${command}: ${stdout}`);
    assert.doesNotMatch(stdout, /the secret/, command);
  }
  assert.ok(existsSync(workspace) && existsSync(secret) && !existsSync(join(folder, 'new')));
});

test('what may be read cannot be written, and a write grant inside of it is all that can', options, async () => {
  const { workspace } = place();
  mkdirSync(join(workspace, 'out'));
  const grant = { readPaths: [workspace], writePaths: [join(workspace, 'out')] };
  const { stdout, stderr } = await sh(
    'cat src/a.txt; echo x > out/x; echo x > src/a.txt; rm -r src; touch new',
    workspace,
    grant,
  );
  assert.equal(stdout, 'a');
  assert.equal(stderr.match(/Read-only file system/g)?.length, 3, stderr);
  assert.equal(readFileSync(join(workspace, 'out/x'), 'utf8'), 'x\n');
  assert.equal(readFileSync(join(workspace, 'src/a.txt'), 'utf8'), 'a');
});

test('a read grant inside of a write grant takes nothing away', options, async () => {
  const { workspace } = place();
  const { end } = await sh('echo b > src/a.txt', workspace, {
    readPaths: [join(workspace, 'src')],
    writePaths: [workspace],
  });
  assert.ok(end.kind === 'exited' && end.exitCode === 0);
});

test('a link in the workspace leads nowhere outside of it', options, async () => {
  const { folder, workspace, secret } = place();
  symlinkSync(secret, join(workspace, 'to-file'));
  symlinkSync(folder, join(workspace, 'to-folder'));
  symlinkSync(join(folder, 'later.txt'), join(workspace, 'dangling'));
  const command = 'cat to-file to-folder/secret.txt; echo x > to-file; echo x > dangling; echo x > to-folder/new';
  const { stdout } = await sh(command, workspace, { writePaths: [workspace] });
  assert.equal(stdout, '');
  assert.equal(readFileSync(secret, 'utf8'), 'the secret');
  assert.ok(!existsSync(join(folder, 'later.txt')) && !existsSync(join(folder, 'new')));
});

const NOT_PLAIN: readonly (readonly [why: string, path: (place: Place) => string, reason: RegExp])[] = [
  ['is not absolute', () => 'ws', /absolute/],
  ['goes up', ({ workspace }) => `${workspace}/../secret.txt`, /plain path/],
  ['has a dot', ({ workspace }) => `${workspace}/./src`, /plain path/],
  ['has a double slash', ({ workspace }) => `${workspace}//src`, /plain path/],
  ['holds a NUL', ({ workspace }) => `${workspace}/a\0b`, /plain path/],
  ['is the root', () => '/', /whole file system/],
  ['is of the kernel', () => '/proc/self', /belongs to the system/],
  ['is a device', () => '/dev/sda', /belongs to the system/],
  ['is a link', ({ folder, workspace }) => linked(folder, join(workspace, 'l')), /link/],
  ['lies behind a link', ({ folder, workspace }) => `${linked(folder, join(workspace, 'l'))}/secret.txt`, /link/],
  ['is a pipe', ({ workspace }) => pipe(join(workspace, 'p')), /neither a file nor a folder/],
  ['is longer than a path may be', ({ workspace }) => `${workspace}/${'x'.repeat(5_000)}`, /cannot be opened/],
  ['is the hooks of a repository', ({ workspace }) => `${workspace}/.git/hooks`, /never granted/],
];

function linked(target: string, at: string): string {
  symlinkSync(target, at);
  return at;
}

function pipe(at: string): string {
  execFileSync('mkfifo', [at]);
  return at;
}

for (const [why, path, reason] of NOT_PLAIN) {
  test(`a grant for writing that ${why} is refused`, options, async () => {
    const here = place();
    const { end } = await sh('exit 0', '/', { writePaths: [path(here)] });
    assert.ok(end.kind === 'not-started', JSON.stringify(end));
    assert.match(end.reason, reason);
  });
}

test('a link in the place of a granted folder while the sandbox is built gives no access', options, async () => {
  const { folder, workspace } = place();
  const granted = join(workspace, 'out');
  const outside = join(folder, 'ws-evil');
  mkdirSync(granted);
  const swap = `while :; do mv out aside; ln -s ${outside} out; rm out; mv aside out; done`;
  const racing = spawn('/bin/sh', ['-c', swap], { cwd: workspace, stdio: 'ignore' });
  const ends: string[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    const { end } = await sh(`touch ${granted}/taken-${turn}`, '/', { writePaths: [granted] });
    ends.push(end.kind === 'not-started' ? end.reason : end.kind);
  }
  racing.kill('SIGKILL');
  await once(racing, 'exit');
  assert.equal(execFileSync('ls', [outside], { encoding: 'utf8' }), '');
  assert.ok(new Set(ends).size > 1, `every start ended alike: ${ends[0]}`);
});

test('the data folder is empty to a process, but for its own folders in it', options, async () => {
  const { workspace } = place();
  const data = join(workspace, '.baton');
  const own = join(data, 'runs', 'r1', 'outputs');
  mkdirSync(own, { recursive: true });
  mkdirSync(join(data, 'runs', 'r2', 'outputs'), { recursive: true });
  for (const file of ['node.json', 'ledger.sqlite', 'runs/r2/outputs/other']) writeFileSync(join(data, file), 'token');
  const grant = { readPaths: [join(data, 'runs')], writePaths: [workspace, own], hiddenPaths: [data] };
  const { stdout } = await sh(
    `find .baton; echo mine > ${own}/mine; echo x > .baton/node.json; rmdir .baton; mv .baton b`,
    workspace,
    grant,
  );
  assert.deepEqual(stdout.split('\n').sort(), ['.baton', '.baton/runs', '.baton/runs/r1', '.baton/runs/r1/outputs']);
  assert.equal(readFileSync(join(own, 'mine'), 'utf8'), 'mine\n');
  assert.equal(readFileSync(join(data, 'node.json'), 'utf8'), 'token');
});

test('a worktree is seen in the place of its workspace', options, async () => {
  const { folder, workspace } = place();
  const worktree = join(folder, 'worktrees', 'w1');
  mkdirSync(join(worktree, 'src'), { recursive: true });
  writeFileSync(join(worktree, 'src', 'a.txt'), 'of the worktree');
  const grant = { writePaths: [workspace], mounts: [{ from: worktree, at: workspace }] };
  const { stdout } = await sh(`cat ${workspace}/src/a.txt; echo b > src/b.txt; ls ${folder}`, workspace, grant);
  assert.equal(stdout, 'of the worktreews');
  assert.ok(existsSync(join(worktree, 'src/b.txt')) && !existsSync(join(workspace, 'src/b.txt')));
  const narrow = { writePaths: [join(workspace, 'src')], mounts: [{ from: worktree, at: workspace }] };
  await sh('echo c > src/c.txt; echo d > d.txt', workspace, narrow);
  assert.ok(existsSync(join(worktree, 'src/c.txt')) && !existsSync(join(worktree, 'd.txt')));
});

test('a file that is to be made can be made, and nothing beside it', options, async () => {
  const { workspace } = place();
  const report = join(workspace, 'docs', 'new', 'report.md');
  const grant = { readPaths: [workspace], writePaths: [report] };
  await sh(`echo done > ${report}; echo x > ${workspace}/docs/new/other.md; echo x > ${workspace}/x`, workspace, grant);
  assert.equal(readFileSync(report, 'utf8'), 'done\n');
  assert.ok(!existsSync(join(workspace, 'docs/new/other.md')) && !existsSync(join(workspace, 'x')));
});

test('a file that was to be made and was not leaves nothing behind', options, async () => {
  const { workspace } = place();
  await sh('exit 0', workspace, { writePaths: [join(workspace, 'docs/new/report.md'), `${join(workspace, 'out')}/`] });
  assert.ok(!existsSync(join(workspace, 'docs')) && !existsSync(join(workspace, 'out')));
  await sh('echo x > out/y', workspace, { writePaths: [`${join(workspace, 'out')}/`], readPaths: [workspace] });
  assert.ok(existsSync(join(workspace, 'out/y')));
});

test('a file that was hard linked is the file that was granted, and one alone stays granted', options, async () => {
  const { workspace, secret } = place();
  linkSync(secret, join(workspace, 'linked'));
  const { stdout } = await sh(`cat ${secret}; cat src/a.txt`, workspace, { readPaths: [join(workspace, 'src')] });
  assert.equal(stdout, 'a');
});

test('a socket of this machine in the workspace does not answer, even with the whole network', options, async () => {
  const { workspace } = place();
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  const path = join(workspace, 'daemon.sock');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const program = `require('node:net').connect('${path}').on('error', (e) => console.log(e.code)).on('connect', () => console.log('connected'))`;
  const network = { level: 'FULL', hosts: [], loopbackPorts: [] } as const;
  for (const grant of [{ readPaths: [workspace] }, { writePaths: [workspace] }]) {
    const { stdout } = await runShell(sandbox, '', {
      argv: [process.execPath, '-e', program],
      cwd: workspace,
      grant: { ...NOTHING, ...grant, network },
    });
    assert.equal(stdout, 'ECONNREFUSED');
  }
  server.close();
  assert.equal(calls, 0);
});

test('a program finds its own package and the Node in use', options, async () => {
  const { folder } = place();
  const packaged = join(folder, 'lib', 'tool');
  mkdirSync(join(packaged, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(packaged, 'package.json'), '{"name":"tool","type":"module"}');
  writeFileSync(join(packaged, 'words.js'), 'export const words = "from the package";');
  const program = `#!${process.execPath}\nimport { words } from '../words.js';\nconsole.log(words);\n`;
  writeFileSync(join(packaged, 'bin', 'tool.js'), program, { mode: 0o755 });
  symlinkSync('../lib/tool/bin/tool.js', join(folder, 'bin', 'tool'));
  const env = { PATH: join(folder, 'bin') };
  const { stdout, stderr } = await runShell(sandbox, '', { argv: ['tool'], env });
  assert.equal(stdout, 'from the package', stderr);
});

test(
  'a shim of a manager of versions finds what it starts, and any other folder of that name shows nothing',
  options,
  async () => {
    const { folder } = place();
    const shim = '#!/bin/sh\nfolder=$' + '{0%/shims/*}\n"$folder"/versions/tool\n';
    for (const manager of ['.asdf', 'other']) {
      for (const name of ['shims', 'versions']) mkdirSync(join(folder, manager, name), { recursive: true });
      writeFileSync(join(folder, manager, 'versions', 'tool'), '#!/bin/sh\necho the tool\n', { mode: 0o755 });
      writeFileSync(join(folder, manager, 'shims', 'tool'), shim, { mode: 0o755 });
    }
    const run = (manager: string) => runShell(sandbox, '', { argv: [join(folder, manager, 'shims', 'tool')] });
    assert.equal((await run('.asdf')).stdout, 'the tool');
    assert.equal((await run('other')).stdout, '');
  },
);
