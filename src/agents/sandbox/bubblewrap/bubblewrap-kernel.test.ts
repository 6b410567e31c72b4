import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NOTHING, noBubblewrap, runShell, scratchFolder } from '../../../../test/support/test-process.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();
const options = { skip: noBubblewrap };

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
