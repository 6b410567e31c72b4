import type { Problem } from '../protocols/codec.ts';

/** A configuration that cannot be used. The command line shows it; nothing was changed. */
export class ConfigFault extends Error {
  readonly problems: readonly Problem[];
  readonly hint: string;

  constructor(place: string, problems: readonly Problem[], hint = `fix ${place}`) {
    super(`${place}: ${problems[0]?.message ?? 'cannot be used'}`);
    this.name = 'ConfigFault';
    this.problems = problems;
    this.hint = hint;
  }
}
