type KernelSpelling<Word extends string> = Word extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}-${KernelSpelling<Rest>}`
  : Lowercase<Word>;

/** A word of a protocol in the kernel's spelling: lower case, with hyphens. */
export function kernelWord<Word extends string>(word: Word): KernelSpelling<Word> {
  return word.toLowerCase().replaceAll('_', '-') as KernelSpelling<Word>;
}
