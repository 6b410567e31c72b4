import type { Grant } from '../../agents/sandbox/sandbox.ts';
import type { Order } from '../../domain/order.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { WorkFolder } from '../work-folder.ts';

export interface GrantNeeds {
  readonly order: Pick<Order, 'access' | 'workspaceRoot'>;
  readonly folder: WorkFolder;
  readonly dataFolder: string;
  /** What the driver needs beside what the order grants. */
  readonly readPaths: readonly string[];
  /** All that may be written, real. */
  readonly writePaths: readonly string[];
  /** Reached under RESTRICTED. */
  readonly hosts: readonly string[];
  readonly loopbackPorts?: readonly number[];
  readonly memoryBytesMax: number | null;
}

/** What the process of an order may touch, by the real paths of this machine. */
export function grantOfOrder(needs: GrantNeeds): Grant {
  const { access, workspaceRoot } = needs.order;
  // A path that leads nowhere was refused at admission; one that is gone since grants nothing.
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPathOf(path, workspaceRoot) ?? []);
  return {
    readPaths: [...real(access.readPaths), ...needs.folder.readPaths, ...needs.readPaths],
    writePaths: needs.writePaths,
    readOnlyPaths: real(access.readOnlyPaths),
    mounts: needs.folder.mounts,
    hiddenPaths: [needs.dataFolder],
    ...(needs.memoryBytesMax !== null && { memoryBytesMax: needs.memoryBytesMax }),
    network: { level: access.network, hosts: needs.hosts, loopbackPorts: needs.loopbackPorts ?? [] },
  };
}
