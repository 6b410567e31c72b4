import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

// A task on another node is sent by one and received by the other; its files and its result are parcels.

/** The verdict of a codec on a text that is not of its protocol, where it is made and where it is told. */
const TELLS_VERDICTS =
  /^src\/(protocols|messages|cli\/message)\/|^src\/(api\/contract|api\/task\/task-schemas|api\/http\/send-answer|federation\/envelope|agents\/drivers\/process\/wire-reader)\.ts$/;
const FOREIGN = /foreign/i;
/** A backup of another program, as callers read it, and the keys of SQLite. */
const OTHER_FOREIGN = /^(foreign_backup|foreignKeys|enableForeignKeyConstraints|PRAGMA foreign_keys|foreign_keys)$/;

const OUT: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/travel/i, 'parcel, sent or received'],
  [/^(remote|Remote)(Order|Task|Run|Step|Fact|State|Terms|Agent|Answer|Event|Work|Result)/, 'Sent… or Received…'],
  [/[a-z]Remote(Order|Task|Run|Step|Fact|State|Event|Work|Result)/, '…Sent… or …Received…'],
  [/^(posted|Posted)/, 'sent, outgoing'],
];
/** Names that are older than the words: a migration keeps its own, and a folder of the disk keeps its name. */
const KEPT = ['remoteTasksMigration'];

function wordFindings({ path, code }: SourceFile): Finding[] {
  return code.flatMap(({ kind, text, line }) => {
    if (kind === 'word' && !KEPT.includes(text)) {
      const out = OUT.find(([pattern]) => pattern.test(text));
      if (out)
        return [{ file: path, line, what: `${text}: a task on another node is sent or received; use ${out[1]}` }];
    }
    const isForeign = (kind === 'word' || kind === 'text') && FOREIGN.test(text) && /^\w+$/.test(text);
    if (!isForeign || OTHER_FOREIGN.test(text) || TELLS_VERDICTS.test(path)) return [];
    return [{ file: path, line, what: `${text}: foreign is the verdict of a codec; say whose it is` }];
  });
}

test('a task on another node is sent or received, and foreign is the word of the codecs', () => {
  assertNone(
    sourceFiles('src')
      .filter((file) => !isTest(file))
      .flatMap(wordFindings),
  );
});

test('planted: another word for a task on another node is found', () => {
  const found = (path: string, text: string) => wordFindings(sourceFile(path, `\n${text}`));
  assertFound(found('src/remote/a.ts', 'const travelStore = 1;'), 2, /sent or received/);
  assertFound(found('src/orders/a.ts', 'interface RemoteOrder {}'), 2, /Sent/);
  assertFound(found('src/orders/a.ts', 'settleRemoteOrder();'), 2, /Sent/);
  assertFound(found('src/remote/a.ts', 'const postedTask = 1;'), 2, /outgoing/);
  assertFound(found('src/workspace/a.ts', "return { kind: 'foreign' };"), 2, /codec/);
  assertNone(found('src/protocols/a.ts', "return { verdict: 'foreign' };"));
});
