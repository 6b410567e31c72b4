import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { Verdict } from '../codec.ts';
import { joinFrontMatter, splitFrontMatter } from '../front-matter.ts';
import type { Issue } from '../issue.ts';
import { judgeValue, malformed } from '../judge-value.ts';
import { writeJson } from '../write-json.ts';
import { writeYaml } from '../write-yaml.ts';
import { readYaml } from '../yaml-text.ts';
import { AOF_KINDS } from './kinds.ts';
import { type TaskFile, type TaskFrontMatter, taskFrontMatterSchema } from './schema/files.ts';

/** aof:task-file: YAML front matter and a Markdown body. Pointers of findings refer to the front matter. */
export function readTaskFile(text: string): Verdict<TaskFile> {
  const parts = splitFrontMatter(text);
  if (!parts) return invalid([{ path: [], kind: 'note', text: 'has no front matter between two lines of ---' }]);
  const reading = readYaml(parts.yaml);
  if (reading.kind === 'broken') return invalid(reading.issues);
  return judgeTask(reading.value, parts.body);
}

export function readTaskValue(value: unknown): Verdict<TaskFile> {
  const { frontMatter, body }: JsonObject = isJsonObject(value) ? value : {};
  if (typeof body !== 'string')
    return invalid([{ path: ['body'], kind: 'wrong-type', expected: 'a string', got: body }]);
  return judgeTask(frontMatter, body);
}

/** The same task gives the same bytes: fields in the order of aof:task-file, then unknown fields. */
export function writeTaskFile({ frontMatter, body }: TaskFile): string {
  const ordered = JSON.parse(writeJson(taskFrontMatterSchema, frontMatter)) as JsonObject;
  return joinFrontMatter({ yaml: writeYaml(ordered), body });
}

function judgeTask(frontMatter: unknown, body: string): Verdict<TaskFile> {
  const verdict = judgeValue(frontMatter, AOF_KINDS.task) as unknown as Verdict<TaskFrontMatter>;
  if (verdict.verdict !== 'accepted') return verdict;
  return { ...verdict, message: { frontMatter: verdict.message, body } };
}

function invalid(issues: readonly Issue[]): Verdict<never> {
  return malformed({ kind: 'task', code: 'invalid_task' }, issues);
}
