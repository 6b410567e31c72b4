export interface WorkspaceFaultFacts {
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/** Git or the disk failed: thrown where it happens, caught at the top of a loop. */
export class WorkspaceFault extends Error {
  readonly operation: string;
  readonly retryable: boolean;

  constructor(operation: string, message: string, { retryable, cause }: WorkspaceFaultFacts) {
    super(message, { cause });
    this.name = 'WorkspaceFault';
    this.operation = operation;
    this.retryable = retryable;
  }
}
