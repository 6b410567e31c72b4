import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SKILL_BYTES_MAX, SKILL_FILES_MAX } from '../../domain/federation/federation-limits.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import type { SkillFile } from './skills.ts';

/** A skill as it travels: the same files are the same bytes on every node. */
export interface PackedSkill {
  readonly bytes: Buffer;
  readonly hash: string;
}

export function packSkill(files: readonly SkillFile[]): PackedSkill {
  const entries = files.map(({ path, bytes }) => ({ path, content: bytes.toString('base64') }));
  const bytes = Buffer.from(JSON.stringify(entries));
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

/** The files of a packed skill; the reason as text where another node packed something else. */
export function unpackSkill(bytes: Uint8Array): readonly SkillFile[] | string {
  const entries = parse(bytes);
  if (!Array.isArray(entries)) return 'it is no packed skill';
  if (entries.length > SKILL_FILES_MAX) return `it has more than ${SKILL_FILES_MAX} files`;
  const files: SkillFile[] = [];
  let size = 0;
  for (const entry of entries) {
    const { path, content } = isJsonObject(entry) ? entry : {};
    if (typeof path !== 'string' || typeof content !== 'string') return 'it is no packed skill';
    if (!isInside(path)) return `${JSON.stringify(path)} is no path of a skill`;
    const file = { path, bytes: Buffer.from(content, 'base64') };
    size += file.bytes.length;
    if (size > SKILL_BYTES_MAX) return `it is larger than ${SKILL_BYTES_MAX} bytes`;
    files.push(file);
  }
  const paths = new Set(files.map(({ path }) => path));
  return paths.size === files.length && paths.has('SKILL.md') ? files : 'it has no SKILL.md, or a file twice';
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}

/** A relative path of plain names: no file outside of the skill's folder, and none that git or a shell reads. */
function isInside(path: string): boolean {
  const parts = path.split('/');
  return path.length <= 1_000 && parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_. -]*$/.test(part));
}

/** Puts a skill into its folder in one step: a node that dies in the middle leaves the old one or none. */
export function writeSkill(folder: string, name: string, files: readonly SkillFile[]): void {
  const place = join(folder, name);
  const fresh = join(folder, `.${name}.new`);
  rmSync(fresh, { recursive: true, force: true });
  for (const { path, bytes } of files) {
    const file = join(fresh, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600, flush: true });
  }
  const old = join(folder, `.${name}.old`);
  rmSync(old, { recursive: true, force: true });
  try {
    renameSync(place, old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  renameSync(fresh, place);
  rmSync(old, { recursive: true, force: true });
}
