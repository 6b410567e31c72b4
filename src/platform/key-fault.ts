/** The key cannot be used: told to a person, nothing was changed. */
export class KeyFault extends Error {
  readonly hint = 'move it away: a new one is made, and receipts of the old one can still be verified';
}
