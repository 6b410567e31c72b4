import { findSandbox } from '../../agents/sandbox/find-sandbox.ts';

let trial: ReturnType<typeof findSandbox> | null = null;

/**
 * Tries the sandbox of this machine, once a process. A command that is going to run an agent calls it first: the trial then
 * runs while the code of the node is loaded.
 */
export function trySandbox(): ReturnType<typeof findSandbox> {
  trial ??= findSandbox();
  return trial;
}
