import { maskSecrets, maskTexts } from './mask-secrets.ts';

// Texts of people and differences of files. Known formats are masked in them; random-looking text may be what they are about.

const BY_FORMAT = { byEntropy: false } as const;

export function maskWritten(text: string): string {
  return maskSecrets(text, BY_FORMAT);
}

/** The same for every text of a JSON value. */
export function maskWrittenValue<Value>(value: Value): Value {
  return maskTexts(value, maskWritten);
}

/** Puts the secrets of a text back into an edited copy that shows it masked, line by line. */
export function restoreMasked(edited: string, original: string): string {
  const lines = original.split('\n').map((line) => [maskWritten(line), line] as const);
  const hidden = new Map(lines.filter(([shown, line]) => shown !== line));
  if (hidden.size === 0) return edited;
  return edited
    .split('\n')
    .map((line) => hidden.get(line) ?? line)
    .join('\n');
}
