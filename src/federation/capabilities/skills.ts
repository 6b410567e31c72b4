import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillRef } from '../../domain/federation/capability.ts';
import { SKILL_BYTES_MAX, SKILL_FILES_MAX } from '../../domain/federation/federation-limits.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import { splitFrontMatter } from '../../protocols/front-matter.ts';
import { readYaml } from '../../protocols/yaml-text.ts';

/** The folder of a node's skills: one folder each, with a SKILL.md whose front matter has `name` and `version`. */
export function skillsFolder(dataFolder: string): string {
  return join(dataFolder, 'skills');
}

/** The skills that resolve in a folder. A link never does: it could lead out of the folder. */
export function readSkills(folder: string): readonly Required<SkillRef>[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const version = versionOf(path, name);
    return version === null ? [] : [{ name, version, path }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    // No skills, or no right to see them.
    return [];
  }
}

/** Null where the folder has no SKILL.md of its own name with a version. */
function versionOf(path: string, name: string): string | null {
  const file = join(path, 'SKILL.md');
  try {
    const { size } = lstatSync(file);
    if (!lstatSync(file).isFile() || size > SKILL_BYTES_MAX) return null;
    return versionInText(readFileSync(file, 'utf8'), name);
  } catch {
    // The file does not exist or cannot be read.
    return null;
  }
}

/** The version in the front matter of a SKILL.md; null where it has none, or the name of another skill. */
export function versionInText(text: string, name: string): string | null {
  const parts = splitFrontMatter(text);
  const reading = parts && readYaml(parts.yaml);
  const value = reading?.kind === 'value' && isJsonObject(reading.value) ? reading.value : {};
  const metadata = isJsonObject(value.metadata) ? value.metadata : {};
  const version = value.version ?? metadata.version;
  if (value.name !== name || (typeof version !== 'string' && typeof version !== 'number')) return null;
  return String(version);
}

/** A file of a skill, its path relative to the skill's folder. */
export interface SkillFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** All files of a skill, by path; the reason as text where it cannot be packed. */
export function readSkillFiles(folder: string): readonly SkillFile[] | string {
  const files: SkillFile[] = [];
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) return `${path} is no plain file`;
    const file = { path: path.slice(folder.length + 1), bytes: readFileSync(path) };
    files.push(file);
    bytes += file.bytes.length;
    if (files.length > SKILL_FILES_MAX) return `it has more than ${SKILL_FILES_MAX} files`;
    if (bytes > SKILL_BYTES_MAX) return `it is larger than ${SKILL_BYTES_MAX} bytes`;
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** One hash over names and contents: the same skill has the same one on every node. */
export function hashSkill(files: readonly SkillFile[]): string {
  const hash = createHash('sha256');
  for (const { path, bytes } of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
}
