import { totalmem } from 'node:os';

/** Of this machine; what others of it use is not taken off. */
export function machineMemoryBytes(): number {
  return totalmem();
}
