import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { jsonLine } from '../domain/words/json-line.ts';
import type { Clock } from './clock.ts';

/** The log of a node, for people and programs: one JSON object a line. */
export interface Logger {
  /** `event` is past tense: node.started. */
  log(event: string, facts?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = { log: () => {} };

export function standardErrorLogger(clock: Clock): Logger {
  return { log: (event, facts) => writeLine(2, lineOf(clock, event, facts)) };
}

/**
 * Logs to a file that is renamed to FILE.1 when it is full, so that both together stay within twice the limit. The file
 * is opened for the first line: a second node that finds the folder locked leaves no trace.
 */
export function fileLogger(clock: Clock, file: string, bytesMax: number): Logger {
  let open: number | null = null;
  let bytes = 0;
  return {
    log: (event, facts) => {
      const line = lineOf(clock, event, facts);
      if (open !== null && bytes + line.length > bytesMax) {
        renameSync(file, `${file}.1`);
        closeSync(open);
        open = null;
      }
      if (open === null) {
        open = openLog(file);
        bytes = fstatSync(open).size;
      }
      bytes += writeLine(open, line);
    },
  };
}

export function openLog(file: string): number {
  return openSync(file, 'a', 0o600);
}

function lineOf(clock: Clock, event: string, facts: object = {}): Buffer {
  const at = new Date(clock.now().wallMs).toISOString();
  return Buffer.from(`${jsonLine({ at, event, ...facts })}\n`);
}

function writeLine(file: number, line: Buffer): number {
  try {
    return writeSync(file, line);
  } catch {
    // A full disk or a closed pipe: the node continues without its log.
    return 0;
  }
}

/** An error as facts for a line, with what caused it. */
export function faultFacts(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, name, stack, cause } = error;
  const where = stack?.split('\n').slice(1, 4).join(' ').trim();
  return { name, message, where, ...(cause instanceof Error && { cause: cause.message }) };
}
