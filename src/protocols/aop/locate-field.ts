import { assertNever } from '../../domain/assert-never.ts';
import type { OrderField } from '../../domain/order-field.ts';
import type { Refusal } from '../../domain/refusal.ts';

/** A refusal of an order, with the JSON Pointer into its TASK in place of the kernel's field. */
export function locateRefusal({ field, ...refusal }: Refusal): Refusal {
  return field === undefined ? refusal : { ...refusal, path: pointerOf(field) };
}

/** An order in words has the pointers of the TASK that it stands for. */
function pointerOf(field: OrderField): string {
  switch (field.kind) {
    case 'task-id':
      return '/task/task_id';
    case 'parent':
      return '/task/parent_task_id';
    case 'agent':
      return '/target/agent_name';
    case 'model':
      return '/target/model';
    case 'workspace':
      return '/task/environment/workspace_root';
    case 'access':
      return '/task/access';
    case 'network':
      return '/task/access/network';
    case 'read-path':
      return `/task/access/filesystem/read_paths/${field.index}`;
    case 'write-path':
      return `/task/access/filesystem/write_paths/${field.index}`;
    case 'input':
      return `/task/inputs/${field.index}/path`;
    case 'dependency':
      return `/task/extensions/x_depends_on/${field.index}`;
    case 'output':
      return `/task/expected_outputs/${field.index}/${PARTS[field.part]}`;
    case 'checkpoint':
      return `/phases/${field.phase}/checkpoints/${field.checkpoint}/${PARTS.command}`;
    case 'artifact':
      return `/phases/${field.phase}/checkpoints/${field.checkpoint}/expected_artifacts/${field.index}/${PARTS[field.part]}`;
    default:
      return assertNever(field);
  }
}

const PARTS = { path: 'path', snapshot: 'rollback_snapshot/snapshot_path', command: 'validation/command' } as const;
