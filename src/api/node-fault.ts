export interface NodeFaultFacts {
  readonly retryable: boolean;
  /** How the node named it, if it answered at all. */
  readonly code?: string;
  readonly cause?: unknown;
}

/** The node did not answer, or failed. A retryable one can be tried again: with the same key nothing happens twice. */
export class NodeFault extends Error {
  readonly operation: string;
  readonly retryable: boolean;
  readonly code: string | null;

  constructor(operation: string, message: string, { retryable, code, cause }: NodeFaultFacts) {
    super(message, { cause });
    this.name = 'NodeFault';
    this.operation = operation;
    this.retryable = retryable;
    this.code = code ?? null;
  }
}
