/** One path that a process sees, and what it may do with it. */
export type Mount =
  | { readonly kind: 'read' | 'write'; readonly from: string; readonly at: string }
  | { readonly kind: 'link'; readonly target: string; readonly at: string }
  /** A private folder, gone with the process; with bytesMax 0 it is empty and read-only. */
  | { readonly kind: 'empty'; readonly at: string; readonly bytesMax: number }
  /** Covers a file or socket with an empty one. */
  | { readonly kind: 'blank'; readonly at: string }
  /** A read-only file with the bytes that bubblewrap reads from this descriptor. */
  | { readonly kind: 'data'; readonly fd: number; readonly isProgram?: boolean; readonly at: string }
  | { readonly kind: 'devices' | 'processes'; readonly at: string };

/**
 * Read-only as a whole. /proc above all: without any capability the kernel lets the user that root is outside write its
 * settings, and through /proc/<pid>/mem any process could change another of the sandbox.
 */
const SEALED_KINDS: readonly Mount['kind'][] = ['devices', 'processes'];

/** Deeper paths are mounted later, on top; of two mounts at one path the later in the list wins. */
export function mountArguments(mounts: readonly Mount[]): string[] {
  const ordered = mounts
    .map((mount) => ({ mount, depth: depthOf(mount.at) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ mount }) => mount);
  const sealed = ordered.filter(
    (mount) => SEALED_KINDS.includes(mount.kind) || (mount.kind === 'empty' && mount.bytesMax === 0),
  );
  // Made read-only last, after every mount point exists; the root is a folder of the sandbox's own.
  return [
    ...ordered.flatMap(argumentsOf),
    ...[...sealed.map(({ at }) => at), '/'].flatMap((at) => ['--remount-ro', at]),
  ];
}

function argumentsOf(mount: Mount): string[] {
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind', mount.from, mount.at];
    case 'write':
      return ['--bind', mount.from, mount.at];
    case 'link':
      return ['--symlink', mount.target, mount.at];
    case 'blank':
      return ['--ro-bind', '/dev/null', mount.at];
    case 'data':
      return ['--perms', mount.isProgram ? '0555' : '0444', '--ro-bind-data', String(mount.fd), mount.at];
    case 'devices':
      return ['--dev', mount.at];
    case 'processes':
      return ['--proc', mount.at];
    case 'empty':
      return mount.bytesMax === 0
        ? ['--tmpfs', mount.at]
        : ['--perms', '1777', '--size', String(mount.bytesMax), '--tmpfs', mount.at];
  }
}

function depthOf(path: string): number {
  return path.split('/').filter(Boolean).length;
}
