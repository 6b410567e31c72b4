export interface WorkspaceFaultFacts {
  readonly retryable: boolean;
  readonly cause?: unknown;
  /** The object that git could not read: what was recorded is damaged. */
  readonly damagedObject?: string | null;
}

/** Git or the disk failed: thrown where it happens, caught at the top of a loop. */
export class WorkspaceFault extends Error {
  readonly operation: string;
  readonly retryable: boolean;
  readonly damagedObject: string | null;

  constructor(operation: string, message: string, { retryable, cause, damagedObject = null }: WorkspaceFaultFacts) {
    super(message, { cause });
    this.name = 'WorkspaceFault';
    this.operation = operation;
    this.retryable = retryable;
    this.damagedObject = damagedObject;
  }
}
