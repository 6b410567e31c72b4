declare const BATON_VERSION: string | undefined;

/** Put in by the build; what is run from its source has none. */
export function batonVersion(): string {
  return typeof BATON_VERSION === 'string' ? BATON_VERSION : 'source';
}
