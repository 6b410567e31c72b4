import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { PROTOCOL_NAMES, type ProtocolName, type Verdict } from '../../src/protocols/codec.ts';
import { readMessage } from '../../src/protocols/read-message.ts';
import { type CorpusRow, corpusRows, corpusText, rowName } from './rows.ts';

describe('the corpus', () => {
  for (const protocol of PROTOCOL_NAMES) {
    it(`${protocol}: every row of the corpus gets its verdict`, async () => {
      await checkRows(protocol);
    });
  }

  it('without a named protocol: every row of the corpus gets its verdict', async () => {
    await checkRows(null);
  });
});

async function checkRows(protocol: ProtocolName | null): Promise<void> {
  const wrong: string[] = [];
  for (const row of corpusRows().filter((each) => each.protocol === protocol)) {
    const { verdict } = await readMessage(corpusText(row), hintsOf(row));
    const got = told(verdict, row);
    const want = { verdict: row.verdict, kind: row.kind, code: row.code, warnings: row.warnings };
    if (isDeepStrictEqual(got, want)) continue;
    const both = `  want ${JSON.stringify(want)}\n  got  ${JSON.stringify(got)} ${explain(verdict)}`;
    wrong.push(`${rowName(row)} (${row.note ?? row.source})\n${both}`);
  }
  assert.equal(wrong.length, 0, `${wrong.length} rows:\n${wrong.join('\n')}`);
}

function hintsOf(row: CorpusRow) {
  const as = row.as === undefined ? row.protocol : row.as;
  return { fileName: row.file, ...(as !== null && { as }), ...(row.asKind !== undefined && { kind: row.asKind }) };
}

/** The parts of the verdict that the row specifies. */
function told(verdict: Verdict<unknown>, row: CorpusRow) {
  const kind = verdict.verdict === 'foreign' ? null : verdict.kind;
  return {
    verdict: verdict.verdict,
    kind: row.kind === undefined ? undefined : kind,
    code: verdict.verdict === 'malformed' ? verdict.code : null,
    warnings: row.warnings && verdict.warnings.map((warning) => warning.code),
  };
}

function explain(verdict: Verdict<unknown>): string {
  return verdict.verdict === 'malformed' ? verdict.errors.map((error) => error.message).join(' | ') : '';
}
