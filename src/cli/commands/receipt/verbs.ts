import type { LoadedCommand } from '../../command.ts';

/** baton receipt …, each with its code behind an import of its own. */
export const RECEIPT_VERBS: readonly LoadedCommand[] = [
  {
    name: 'verify',
    summary: 'whether a receipt is as it was signed',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
];
