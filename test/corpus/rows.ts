import { readFileSync } from 'node:fs';
import type { ProtocolName } from '../../src/protocols/codec.ts';

export interface CorpusRow {
  readonly file: string;
  /** In a file with one message a line, counted from 1. */
  readonly line?: number;
  readonly protocol: ProtocolName | null;
  /** Not given where the row does not speak of it. */
  readonly kind?: string | null;
  readonly verdict: 'accepted' | 'malformed' | 'foreign';
  readonly code: string | null;
  readonly warnings?: readonly string[];
  /** The protocol it is read as; by default its own, null for none. */
  readonly as?: ProtocolName | null;
  readonly asKind?: string;
  readonly source: string;
  readonly note?: string;
}

export function corpusRows(): readonly CorpusRow[] {
  return JSON.parse(readFileSync(new URL('./manifest.json', import.meta.url), 'utf8')) as CorpusRow[];
}

export function corpusText(row: CorpusRow): string {
  const text = readFileSync(new URL(row.file, import.meta.url), 'utf8');
  return row.line === undefined ? text : (text.split('\n')[row.line - 1] ?? '');
}

export function rowName(row: CorpusRow): string {
  return row.line === undefined ? row.file : `${row.file}:${row.line}`;
}
