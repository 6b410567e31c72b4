/** Who may do what with which file. Git knows of one right only, to execute. */
export interface FileModes {
  /** Of files that may not, and that may be executed, where nothing else is said. */
  readonly usual: { readonly plain: number; readonly executable: number };
  /** By name, each byte a character. */
  readonly other: Readonly<Record<string, number>>;
}

/** The mode of a file, of which is known whether it may be executed. */
export function modeIn({ usual, other }: FileModes, name: Buffer, isExecutable: boolean): number {
  return other[name.toString('latin1')] ?? (isExecutable ? usual.executable : usual.plain);
}
