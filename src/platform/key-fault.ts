/** A node key that cannot be used. The command line shows it; nothing was changed. */
export class KeyFault extends Error {
  readonly hint = 'move it away: a new one is made, and receipts of the old one can still be verified';
}
