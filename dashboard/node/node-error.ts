/** The form of every error that a node sends. */
interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    readonly retryable: boolean;
    readonly details?: readonly string[];
  };
}

/** A refusal of the node, or a node that does not answer. */
export class NodeError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: readonly string[];

  constructor(status: number, { error }: ErrorBody) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint;
    this.status = status;
    this.retryable = error.retryable;
    this.details = error.details ?? [];
  }
}

export function unreachable(): NodeError {
  return new NodeError(0, {
    error: {
      code: 'unreachable',
      message: 'the node does not answer',
      hint: 'is it running? baton up',
      retryable: true,
    },
  });
}

export function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && 'error' in value;
}

/** An error in words, whatever threw it. */
export function wordsOf(error: unknown): { readonly message: string; readonly hint: string | null } {
  if (error instanceof NodeError) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.message : String(error), hint: null };
}
