/** One result of doctor. */
export interface DoctorFinding {
  readonly about: string;
  readonly state: 'well' | 'wrong' | 'note';
  readonly message: string;
  /** How to fix it. */
  readonly hint: string | null;
}

export function well(about: string, message: string): DoctorFinding {
  return { about, state: 'well', message, hint: null };
}

export function note(about: string, message: string, hint: string | null = null): DoctorFinding {
  return { about, state: 'note', message, hint };
}

export function wrong(about: string, message: string, hint: string): DoctorFinding {
  return { about, state: 'wrong', message, hint };
}
