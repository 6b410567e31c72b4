/** A path as bytes, one character a byte: not every name is text. */
export type RawPath = string;

export function rawPath(path: string): RawPath {
  return isAscii(path) ? path : Buffer.from(path, 'utf8').toString('latin1');
}

/** As the file system takes it. Buffers are only made for names that need one: a search asks for thousands. */
export function bytesOf(path: RawPath): string | Buffer {
  return isAscii(path) ? path : Buffer.from(path, 'latin1');
}

export function textOf(path: RawPath): string {
  return isAscii(path) ? path : Buffer.from(path, 'latin1').toString('utf8');
}

function isAscii(path: string): boolean {
  return !/[\u0080-\uffff]/.test(path);
}
