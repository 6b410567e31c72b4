const ESCAPE = /%([0-9a-f]{2})/gi;
/** RFC 3986 §2.3: characters that mean the same with and without an escape. */
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * A web address in the one form in which two spellings of it are equal (RFC 3986 §6.2, RFC 9449 §4.3): scheme and host in
 * lower case, no default port, no dots in the path, no needless escape, no query and no fragment. Null for any other text.
 */
export function normalUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '') return null;
  const path = url.pathname.replaceAll(ESCAPE, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : escaped.toUpperCase();
  });
  return `${url.origin}${path}`;
}
