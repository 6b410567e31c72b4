import { assertNever } from '../../domain/assert-never.ts';
import type { OrderField } from '../../domain/order/order-field.ts';
import type { Refusal } from '../../domain/refusal.ts';

/**
 * A refusal of an order, with the JSON Pointer into its TASK in place of the kernel's field. In a session file the TASK is an item
 * of a list.
 */
export function locateRefusal({ field, member, ...refusal }: Refusal): Refusal {
  const path = field === undefined ? refusal.path : pointerOf(field);
  if (member === undefined) return { ...refusal, path };
  const problems = refusal.problems?.map((problem) => ({ ...problem, path: `/${member}${problem.path}` }));
  return { ...refusal, path: `/${member}${path}`, ...(problems && { problems }) };
}

/** The same for a task of a session in words: the key of its own that the field comes from. */
export function locateWord({ field, member, ...refusal }: Refusal): Refusal {
  if (member === undefined) return refusal;
  const key = field === undefined ? '' : (WORD_KEYS[field.kind] ?? '');
  const index = field?.kind === 'dependency' ? `/${field.index}` : '';
  return { ...refusal, path: `/tasks/${member}${key === '' ? '' : `/${key}`}${index}` };
}

const WORD_KEYS: Readonly<Partial<Record<OrderField['kind'], string>>> = {
  'task-id': 'name',
  parent: 'parent',
  agent: 'agent',
  dependency: 'after',
};

function pointerOf(field: OrderField): string {
  switch (field.kind) {
    case 'session-id':
      return '/session/session_id';
    case 'pattern':
      return '/session/workflow_pattern';
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
