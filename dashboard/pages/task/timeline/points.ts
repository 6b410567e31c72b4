import type { PointView, RewindPreviewView } from '../../../../src/api/trace/trace-contract.ts';
import { call } from '../../../node/call-node.ts';
import { NodeError } from '../../../node/node-error.ts';
import { type Resource, useResource } from '../../../node/resource.ts';
import { counted } from '../../../parts/format.ts';

const CHANGES = /^(task\.(transitioned|rewound)|workspace\.|run\.(collected|verified)|work\.)/;

/** Oldest first; none where nothing can be rewound. */
export function usePoints(task: string): Resource<readonly PointView[]> {
  return useResource(
    `points-${task}`,
    async () => {
      try {
        return (await call('listPoints', { task })).points;
      } catch (error) {
        if (error instanceof NodeError && (error.status === 404 || error.code === 'not_running')) return [];
        throw error;
      }
    },
    ({ taskId, type }) => taskId === task && CHANGES.test(type),
  );
}

export function previewRewind(task: string, to: string): Promise<RewindPreviewView> {
  return call('previewRewind', { task, to });
}

/** Puts files and task back; what was there is saved first, and is a point too. */
export async function rewind(task: string, to: string, keep: boolean): Promise<string> {
  const done = await call('rewindTask', { task, to, ...(keep && { keep }) });
  return `rewound to point ${to}: ${counted(done.files.length, 'file')}; point ${done.before} leads back`;
}

/** After turn 2; before the work; moved to review. */
export function pointText({ kind, turnIndex, status, rewoundTo }: PointView): string {
  switch (kind) {
    case 'start':
      return 'before the work';
    case 'turn':
      return `after turn ${(turnIndex ?? 0) + 1}`;
    case 'end':
      return status === 'in-progress' ? 'after the run' : 'after the work';
    case 'saved':
      return 'before a rewind';
    case 'rewind':
      return `rewound to point ${rewoundTo ?? ''}`;
    case 'work':
      return 'after the work was applied or undone';
    default:
      return `moved to ${status}`;
  }
}
