/** Something in the tree is not what belongs there; it has a code like an error of the file system. */
export class TreeFault extends Error {
  readonly code: string;
  readonly path: string;

  constructor(code: string, message: string, path: string) {
    super(message);
    this.name = 'TreeFault';
    this.code = code;
    this.path = path;
  }
}

/** The mirror found a person's text where it has to write; the text is judged first. */
export class UnknownContent extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} was changed by somebody`);
    this.name = 'UnknownContent';
    this.path = path;
  }
}

/** A failed write, by the kind of incident it opens. */
export interface TreeFailure {
  readonly kind: string;
  readonly detail: string;
}

const KIND_PREFIX = 'mirror_';

/** Only for errors of the file system: any other is a bug and is rethrown. */
export function failureOf(error: unknown): TreeFailure {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  if (!(error instanceof TreeFault) && !('syscall' in error)) throw error;
  return { kind: `${KIND_PREFIX}${error.code.toLowerCase()}`, detail: error.message };
}

export function isMirrorKind(kind: string): boolean {
  return kind.startsWith(KIND_PREFIX);
}
