/** One thing that a process sees at a path, and what it may do with it. */
export type Mount =
  | { readonly kind: 'read' | 'write'; readonly from: string; readonly at: string }
  | { readonly kind: 'link'; readonly target: string; readonly at: string }
  /** A folder of its own, gone with the process; one without room is empty and cannot be written. */
  | { readonly kind: 'empty'; readonly at: string; readonly bytesMax: number }
  /** A file, a socket: there, and nothing in it. */
  | { readonly kind: 'blank'; readonly at: string }
  | { readonly kind: 'devices' | 'processes'; readonly at: string };

/** What lies deeper is mounted later, on top; of two at one path the later one of the list wins. */
export function mountArguments(mounts: readonly Mount[]): string[] {
  const ordered = mounts
    .map((mount) => ({ mount, depth: depthOf(mount.at) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ mount }) => mount);
  const sealed = ordered.filter(
    (mount) => mount.kind === 'devices' || (mount.kind === 'empty' && mount.bytesMax === 0),
  );
  // Sealed last, when every place to mount on has been made; the root is a folder of the sandbox's own.
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
