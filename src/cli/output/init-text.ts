export interface InitAnswer {
  readonly data: string;
  /** Files that were not there before. */
  readonly made: readonly string[];
}

export function initText({ data, made }: InitAnswer): string {
  if (made.length === 0) return `${data} is set up already`;
  return [
    `${data} is set up`,
    '  config.yaml    your settings, with examples to fill in',
    '  ledger.sqlite  the truth: every task, run and event',
    '  tasks/         the same as files: one a task, one folder a status',
  ].join('\n');
}
