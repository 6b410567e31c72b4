/** A node key that cannot be used. The command line shows it; nothing was changed. */
export class KeyFault extends Error {
  readonly hint: string = 'move it away: a new one is made, and receipts of the old one can still be verified';
}

/** The file of an external agent that cannot be used. */
export class IdentityFault extends KeyFault {
  override readonly hint = 'correct its path or its mode, or enrol again with a new invite';
}
