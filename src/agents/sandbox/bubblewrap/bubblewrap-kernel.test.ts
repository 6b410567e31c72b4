import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NOTHING, noBubblewrap, runShell, scratchFolder } from '../../../../test/support/test-process.ts';
import type { Grant, NetworkGrant } from '../sandbox.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();
const options = { skip: noBubblewrap };
const onX64 = { skip: noBubblewrap || (process.arch !== 'x64' && 'the numbers of calls are those of x64') };

test(
  'no file of /proc can be opened for writing, except those of the devices behind its own descriptors',
  options,
  async () => {
    const look = `
    find /proc -path '/proc/[0-9]*' -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune -o -type f -print |
      while read -r file; do ( : >> "$file" ) 2>/dev/null && echo "writable: $file"; done
    for file in /proc/self/mem /proc/self/oom_score_adj /proc/1/oom_score_adj; do ( : >> "$file" ) 2>/dev/null && echo "writable: $file"; done
    find /proc/sys -type f | wc -l`;
    const { stdout } = await runShell(sandbox, look);
    assert.doesNotMatch(stdout, /writable/);
    assert.ok(Number(stdout) > 100, stdout);
  },
);

test(
  'a process is never root inside, has a name, and owns its files outside as the person who started it',
  options,
  async () => {
    const folder = mkdtempSync(join(scratch, 'owned-'));
    const grant = { ...NOTHING, writePaths: [folder] };
    const program = 'const { uid, username } = os.userInfo(); fs.writeFileSync("file", ""); console.log(uid, username)';
    const asked = await runShell(sandbox, '', { argv: [process.execPath, '-e', program], cwd: folder, grant });
    assert.match(asked.stdout, /^[1-9]\d* \S+$/, asked.stderr);
    const { uid, gid } = lstatSync(join(folder, 'file'));
    assert.deepEqual([uid, gid], [process.getuid?.(), process.getgid?.()]);
    const map = await runShell(sandbox, 'id -u; id -g; cat /proc/self/uid_map /proc/self/gid_map');
    assert.doesNotMatch(map.stdout, /^\s*0(\s|$)/m);
  },
);

/** Runs a Perl program that prints the results of raw system calls. */
async function perl(program: string, grant: Grant = NOTHING, cwd = '/'): Promise<string> {
  const argv = [
    '/usr/bin/perl',
    '-e',
    `sub call { my ($number, @words) = @_; return syscall($number, @words) } ${program}`,
  ];
  const { stdout, stderr } = await runShell(sandbox, '', { argv, grant, cwd });
  return stdout + stderr;
}

const FAMILIES = {
  unspecified: 0,
  ax25: 3,
  x25: 9,
  packet: 17,
  rds: 21,
  can: 29,
  bluetooth: 31,
  alg: 38,
  vsock: 40,
  xdp: 44,
};

test('only the socket families of the internet and of the routing table exist', onX64, async () => {
  for (const [name, family] of Object.entries(FAMILIES)) {
    const calls = `for my $type (1, 2, 3, 5) { print call(41, ${family}, $type, 0), ":", $!+0, " " }`;
    assert.equal(await perl(calls), '-1:97 '.repeat(4), name);
  }
  for (const family of [2, 10, 16]) assert.match(await perl(`print call(41, ${family}, 2, 0)`), /^\d+$/);
});

/** Sockets of the machine, one of each type, bound by relative paths, which no table of the system shows in full. */
const LISTEN = `
  use Socket; $| = 1;
  for my $type (1, 2, 5) {
    my $s; socket($s, 1, $type, 0) && bind($s, pack_sockaddr_un("outside$type")) or die $!; push @all, $s; listen($s, 9);
  }
  print "ready"; sleep 600`;

/** Prints each pair that exists, and each way by which an end of it reaches the socket of its type outside. */
const REACH = `
  for my $type (1, 2, 3, 5) { for my $flags (0, 02000000, 04000) {
    my $ends = "\\0" x 8; next if call(53, 1, $type | $flags, 0, $ends); my ($end, $other) = unpack('ii', $ends);
    my $at = pack('S', 1) . "outside" . ($type == 3 ? 2 : $type) . "\\0"; my $size = length $at;
    print " pair$type";
    print " connected$type" unless call(42, $end, $at, $size);
    call(3, $other); call(48, $end, 2);
    print " connected$type" unless call(42, $end, $at, $size);
    print " listens$type" unless call(50, $end, 1);
  } }`;

test('no end of a pair of unix sockets reaches a socket of the machine', onX64, async (t) => {
  const folder = mkdtempSync(join(scratch, 'pairs-'));
  const outside = spawn('/usr/bin/perl', ['-e', LISTEN], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => outside.kill('SIGKILL'));
  await once(outside.stdout, 'data');
  const within = async (network: NetworkGrant) =>
    new Set((await perl(REACH, { ...NOTHING, writePaths: [folder], network }, folder)).trim().split(' '));
  const none = { hosts: [], loopbackPorts: [] };
  for (const network of [
    { level: 'NONE', ...none },
    { level: 'RESTRICTED', ...none, loopbackPorts: [3000] },
  ] as const) {
    assert.deepEqual(await within(network), new Set(['pair1', 'pair5']), network.level);
  }
  assert.ok((await within({ level: 'FULL', ...none })).has('connected2'), 'the sockets outside can be reached');
});

test('no call leaves a file that runs as its owner or group', onX64, async () => {
  const folder = mkdtempSync(join(scratch, 'set-id-'));
  const grant = { ...NOTHING, writePaths: [folder] };
  const made = `
    open(my $f, '>', 'plain'); my $fd = fileno($f); my ($p, $n) = ("plain\\0", 0);
    for my $bits (04755, 02755, 06755) {
      $n++;
      call(90, $p, $bits); call(91, $fd, $bits); call(268, -100, $p, $bits); call(452, -100, $p, $bits, 0);
      call(2, "open$n\\0", 0102, $bits); call(257, -100, "openat$n\\0", 0102, $bits); call(85, "creat$n\\0", $bits);
      call(437, -100, "openat2$n\\0", pack('QQQ', 0102, $bits, 0), 24);
      call(133, "mknod$n\\0", 0100000 | $bits, 0); call(259, -100, "mknodat$n\\0", 0100000 | $bits, 0);
      my $tmp = call(257, -100, ".\\0", 020200002, $bits); call(265, -100, "/proc/self/fd/$tmp\\0", -100, "tmp$n\\0", 0x400);
      call(83, "folder$n\\0", $bits); call(90, "folder$n\\0", $bits);
    }
    print "over"`;
  assert.equal(await perl(made, grant, folder), 'over');
  const left = readdirSync(folder).filter((name) => lstatSync(join(folder, name)).mode & 0o6000);
  assert.deepEqual(left, []);
  const usual =
    'print chmod(0755, "plain"), mkdir("usual", 01777), chmod(01777, "usual"); open(my $f, ">", "new") or print "no"';
  assert.equal(await perl(usual, grant, folder), '111');
  assert.equal(lstatSync(join(folder, 'usual')).mode & 0o7777, 0o1777);
});

test('no key press can be put into a terminal', onX64, async () => {
  for (const request of [0x5412, 0x541c]) {
    const calls = `print call(16, 0, ${request}, "x"), ":", $!+0, " ", call(16, 0, ${request} + (1 << 32), "x"), ":", $!+0`;
    assert.equal(await perl(calls), '-1:1 -1:1');
  }
});
