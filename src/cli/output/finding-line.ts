import type { Finding } from '../doctor/finding.ts';
import type { Look } from './look.ts';
import { visible } from './visible.ts';

const WORD_WIDTH = 5;

export function findingLine({ about, state, message, hint }: Finding, look: Look): string {
  const words = { well: look.good('ok'), wrong: look.bad('wrong'), note: look.open('note') };
  const plain = { well: 'ok', wrong: 'wrong', note: 'note' };
  const space = ' '.repeat(WORD_WIDTH - plain[state].length);
  const line = `${words[state]}${space}  ${visible(about)}: ${visible(message)}`;
  return hint === null ? line : `${line}\n${' '.repeat(WORD_WIDTH)}  try: ${visible(hint)}`;
}
