/** One result of doctor. */
export interface Finding {
  readonly about: string;
  readonly state: 'well' | 'wrong' | 'note';
  readonly message: string;
  /** How to fix it. */
  readonly hint: string | null;
}

export function well(about: string, message: string): Finding {
  return { about, state: 'well', message, hint: null };
}

export function note(about: string, message: string, hint: string | null = null): Finding {
  return { about, state: 'note', message, hint };
}

export function wrong(about: string, message: string, hint: string): Finding {
  return { about, state: 'wrong', message, hint };
}
