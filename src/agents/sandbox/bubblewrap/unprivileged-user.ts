import { readFileSync } from 'node:fs';
import type { GateData } from './gate.ts';
import type { Mount } from './mount.ts';

/** Arguments and mounts that decide which user a process is inside. */
export interface InnerUser {
  readonly words: readonly string[];
  readonly mounts: readonly Mount[];
}

/** The first number that systems give to a person. */
const ID = 1_000;
const NAME_FILES = ['/etc/passwd', '/etc/group'];

/**
 * Root is an ordinary user inside: uid and gid 1000 there are 0 outside, so that files have the same owner as before.
 * The name files give root's names to these numbers, because programs look up their own name and fail without it.
 * Anybody else has the same number inside.
 */
export function unprivilegedUser(data: GateData): InnerUser {
  if (process.getuid?.() !== 0) return { words: [], mounts: [] };
  const mounts = NAME_FILES.flatMap((at): Mount[] => {
    const text = read(at);
    return text === null ? [] : [{ kind: 'data', fd: data.add(withoutRoot(text)), at }];
  });
  return { words: ['--uid', String(ID), '--gid', String(ID)], mounts };
}

/** Lines are `name:x:uid:gid:…` or `name:x:gid:…`. Of two lines with one number, programs take the first: root's. */
function withoutRoot(text: string): string {
  const lines = text.split('\n').map((line) => {
    return line.replace(/^([^:]+:[^:]*):0:(0:)?/, (_, name: string, gid) => `${name}:${ID}:${gid ? `${ID}:` : ''}`);
  });
  return lines.join('\n');
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // This system keeps its names elsewhere.
    return null;
  }
}
