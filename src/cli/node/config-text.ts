import type { Setting } from '../../config/settings.ts';
import { visible } from '../output/visible.ts';

export function settingLine({ key, value, origin }: Setting, hasOrigin: boolean): string {
  const line = `${visible(key)} = ${valueText(value)}`;
  return hasOrigin ? `${line}  (${visible(origin)})` : line;
}

/** As written in a file. */
export function valueText(value: unknown): string {
  if (value === null) return '';
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
}

export function withheldText(withheld: readonly Setting[]): string | null {
  const [first] = withheld;
  if (!first) return null;
  const keys = withheld.map(({ key }) => visible(key)).join(', ');
  return `ignored until you trust ${visible(first.origin)}: ${keys}\ntry: read the file, then: baton trust`;
}

export interface TrustedFile {
  readonly file: string;
  /** Settings that take effect by this. */
  readonly granted: readonly { readonly key: string; readonly value: unknown }[];
}

export function trustedFileText({ file, granted }: TrustedFile): string {
  if (granted.length === 0) return `${visible(file)} is now trusted; none of its settings needed that`;
  return [`${visible(file)} is now trusted:`, ...grantedLines(granted)].join('\n');
}

export function wouldAllowText({ file, granted }: TrustedFile): string {
  if (granted.length === 0) return `none of the settings in ${visible(file)} needs your trust`;
  return [
    `${visible(file)} would let Baton use these settings, which name commands or widen rights:`,
    ...grantedLines(granted),
  ].join('\n');
}

function grantedLines(granted: TrustedFile['granted']): readonly string[] {
  return granted.map(({ key, value }) => `  ${visible(key)} = ${valueText(value)}`);
}
