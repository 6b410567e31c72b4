import {
  SANDBOX_MEMORY_BYTES_MAX,
  SANDBOX_MEMORY_BYTES_MIN,
  SANDBOX_MEMORY_PART_OF_MACHINE,
} from '../../../domain/process-limits.ts';
import { machineMemoryBytes } from '../../../platform/process/machine-limits.ts';
import type { Grant } from '../sandbox.ts';

type MemoryGrant = Pick<Grant, 'memoryBytesMax'>;

export function memoryOfEach({ memoryBytesMax }: MemoryGrant): number {
  return memoryBytesMax ?? Math.min(partOfMachine(), SANDBOX_MEMORY_BYTES_MAX);
}

/** The memory of all processes of a run, where a cgroup can bound it. */
export function memoryOfAll({ memoryBytesMax }: MemoryGrant): number {
  return memoryBytesMax ?? partOfMachine();
}

function partOfMachine(): number {
  return Math.floor(Math.max(machineMemoryBytes() * SANDBOX_MEMORY_PART_OF_MACHINE, SANDBOX_MEMORY_BYTES_MIN));
}
