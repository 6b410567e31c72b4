import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { isRefusal } from '../refusal.ts';
import { splitCommand } from './split-command.ts';

/** Command → its words. */
const PLAIN: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['npm test', ['npm', 'test']],
  ['  npm \t test \n', ['npm', 'test']],
  ['\r\nnpm test\r\n', ['npm', 'test']],
  [`grep -n 'config.get' src/module_x.py`, ['grep', '-n', 'config.get', 'src/module_x.py']],
  [`grep -n "a b" 'c "d"' e\\ f`, ['grep', '-n', 'a b', 'c "d"', 'e f']],
  [`echo "say \\"hi\\" for 5\\$ and \\\\ and \\n and \\\`"`, ['echo', 'say "hi" for 5$ and \\ and \\n and `']],
  [`echo 'a\\b'`, ['echo', 'a\\b']],
  [`echo a'b'"c"\\d`, ['echo', 'abcd']],
  [`echo '' ""`, ['echo', '', '']],
  ['a\\\n  b', ['a', 'b']],
  ['ab\\\ncd', ['abcd']],
  ['echo a\\ ', ['echo', 'a ']],
  ['echo a\\\\ \n', ['echo', 'a\\']],
  // A quoted metacharacter is plain text.
  [`grep 'foo.*bar|baz$HOME;&<>()[]{}~#!?' f`, ['grep', 'foo.*bar|baz$HOME;&<>()[]{}~#!?', 'f']],
  [`grep "foo.*bar|baz;&<>()[]{}~#!?" f`, ['grep', 'foo.*bar|baz;&<>()[]{}~#!?', 'f']],
  ['grep foo.\\*bar \\$HOME \\| \\; f', ['grep', 'foo.*bar', '$HOME', '|', ';', 'f']],
  [`sh -c 'a && b | c > d'`, ['sh', '-c', 'a && b | c > d']],
  ["echo 'two\nlines'", ['echo', 'two\nlines']],
  // What looks like syntax and is none, in any shell.
  ['git diff HEAD~1 HEAD@{1} a^ b^^', ['git', 'diff', 'HEAD~1', 'HEAD@{1}', 'a^', 'b^^']],
  ['find . ! -name x -exec cat {} +', ['find', '.', '!', '-name', 'x', '-exec', 'cat', '{}', '+']],
  ['[ -f out.txt ]', ['[', '-f', 'out.txt', ']']],
  ['echo [] a] {a.b} {} {', ['echo', '[]', 'a]', '{a.b}', '{}', '{']],
  ['grep foo$ a#b c=d -DX=1', ['grep', 'foo$', 'a#b', 'c=d', '-DX=1']],
  ['grep "foo$" f', ['grep', 'foo$', 'f']],
  ['env CI=1 npm test', ['env', 'CI=1', 'npm', 'test']],
  ['test -e if', ['test', '-e', 'if']],
  ['grep a 100% x:y @z', ['grep', 'a', '100%', 'x:y', '@z']],
  ['näme 日本 😀', ['näme', '日本', '😀']],
];

/** Command → the part of the sentence that names what was found. */
const REFUSED: ReadonlyArray<readonly [string, RegExp]> = [
  ['a | b', /a pipe: \|$/],
  ['a|b', /a pipe: a\|b$/],
  ['a && b', /a list of commands: &&/],
  ['a || b', /a list of commands: \|\|/],
  ['a; b', /a list of commands: a;/],
  ['npm test &', /in the background: &/],
  ['a > b', /a redirection/],
  ['a 2>&1', /./],
  ['a < b', /a redirection/],
  ['a <<< b', /a redirection/],
  ['(a)', /parentheses/],
  ['echo $HOME', /a \$ expansion: \$HOME/],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a person writes to a shell
  ['echo ${HOME}', /a \$ expansion/],
  ['echo $(date)', /a \$ expansion/],
  ['echo $1 $? $$', /a \$ expansion/],
  [`echo $'a'`, /a \$ expansion/],
  ['echo "$HOME"', /a \$ expansion: "\$HOME"/],
  ['echo "\\\\$HOME"', /a \$ expansion/],
  ['echo "a `date`"', /backquotes/],
  ['echo `date`', /backquotes/],
  ['grep -n foo.*bar file', /a file name pattern: foo\.\*bar/],
  ['ls a?', /a file name pattern/],
  ['ls a[12]', /a file name pattern/],
  [`ls *'.ts'`, /a file name pattern/],
  ['cp a.{ts,js} b', /a list in braces/],
  ['echo {1..3}', /a list in braces/],
  ['echo {{a,b}', /a list in braces/],
  ['echo {a.b,c}', /a list in braces/],
  ['echo [[a]', /a file name pattern/],
  ['ls ~/x', /a home folder: ~\/x/],
  ['ls ~', /a home folder/],
  ['make PREFIX=~/x', /a home folder/],
  ['npm test # all', /a comment: #/],
  ['! grep a b', /a word of the shell: !/],
  ['{ a', /a word of the shell: \{/],
  ['[[ -f a ]]', /a word of the shell/],
  ['if a', /a word of the shell: if/],
  ['cd sub', /a command of the shell itself: cd/],
  ['. ./env', /a command of the shell itself: \./],
  ['command -v node', /a command of the shell itself/],
  ['CI=1 npm test', /a variable before the command: CI=1/],
  ['CI=1', /a variable before the command/],
  ['a\nb', /a line break: /],
  ['a\r\nb', /a line break: /],
  ["echo 'a", /a single quote that is not closed/],
  ['echo "a', /a double quote that is not closed/],
  ['echo "a\\"', /a double quote that is not closed/],
  ['echo a\\', /ends in a backslash/],
  ['', /empty/],
  [' \n\t', /empty/],
  [`'' a`, /no program/],
  ['a\0b', /NUL/],
];

for (const [command, argv] of PLAIN) {
  test(`${JSON.stringify(command)} is a program and its arguments`, () => {
    assert.deepEqual(splitCommand(command, { isShellAllowed: false }), argv);
    assert.deepEqual(splitCommand(command, { isShellAllowed: true }), argv);
  });
}

for (const [command, what] of REFUSED) {
  test(`${JSON.stringify(command)} is refused by name`, () => {
    const answer = splitCommand(command, { isShellAllowed: false });
    assert.ok(isRefusal(answer));
    assert.equal(answer.code, 'E_PERMISSION_DENIED');
    assert.match(answer.message, what);
    assert.notEqual(answer.hint, '');
  });
}

test('with leave, what needs a shell is handed to one as it stands', () => {
  for (const command of ['a | b', 'echo $HOME', '  a > b\n', `echo "don't"; echo 'x'`]) {
    assert.deepEqual(splitCommand(command, { isShellAllowed: true }), ['/bin/sh', '-c', command]);
  }
  for (const command of ['', 'a\0b']) assert.ok(isRefusal(splitCommand(command, { isShellAllowed: true })));
});

test('a pattern that was left unquoted is refused with the hint to quote it', () => {
  const answer = splitCommand('grep -n foo.*bar file', { isShellAllowed: false });
  assert.ok(isRefusal(answer));
  assert.match(answer.hint, /^put it in single quotes .*allow_shell/);
});

test('what is accepted means the same to a shell', () => {
  for (const [command, argv] of PLAIN) {
    const script = `show() { for word; do printf '%s\\0' "$word"; done; }; show ${command.trimStart().replace(/\r\n$/, '')}`;
    const { stdout, status } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8', cwd: '/' });
    assert.equal(status, 0, command);
    assert.deepEqual(stdout.split('\0').slice(0, -1), argv, command);
  }
});

test('a very long command is split in time that grows with its length, whatever it holds', () => {
  const words = splitCommand(`echo ${'a\\ b "c d" '.repeat(20_000)}`, { isShellAllowed: false });
  assert.ok(!isRefusal(words));
  assert.equal(words.length, 40_001);
  const signs = [
    '\n',
    '[',
    ']',
    '{',
    '{,',
    ',{',
    '}',
    '.',
    '$',
    '"',
    "'",
    '\\',
    '\\"',
    '=',
    '~',
    '#',
    ' ',
    '\t ',
    'a',
    '-q',
    '[]]',
  ];
  for (const sign of signs) {
    for (const around of ['', '[', '{', '"', '{,', '{.', "'"]) {
      const tookMs = cpuMsOf(() => splitCommand(`a ${around}${sign.repeat(100_000)}`, { isShellAllowed: false }));
      assert.ok(tookMs < 2_000, JSON.stringify([around, sign]));
    }
  }
});
