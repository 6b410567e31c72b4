/** What stands in the tree is not what may stand there; told like an error of the file system. */
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

/** A person's text lies where the mirror is to write: it is judged before anything is done to it. */
export class ForeignContent extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} was changed by somebody`);
    this.name = 'ForeignContent';
    this.path = path;
  }
}

/** A write of the tree that did not work, by the kind of incident it opens. */
export interface TreeFailure {
  readonly kind: string;
  readonly detail: string;
}

const KIND_PREFIX = 'mirror_';

/** Of the outside world only: anything else is a bug and is thrown on. */
export function failureOf(error: unknown): TreeFailure {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  if (!(error instanceof TreeFault) && !('syscall' in error)) throw error;
  return { kind: `${KIND_PREFIX}${error.code.toLowerCase()}`, detail: error.message };
}

export function isMirrorKind(kind: string): boolean {
  return kind.startsWith(KIND_PREFIX);
}
