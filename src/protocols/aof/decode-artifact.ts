import type { Verdict } from '../codec.ts';
import { judgeValue } from '../judge-value.ts';
import type { AofFileKind } from './file-kinds.ts';
import { AOF_KINDS } from './kinds.ts';
import { withReadableCriteria } from './rules.ts';
import type { AofArtifact } from './schema/files.ts';

/** A JSON file of the tree, or a line of its events, whose kind is known from outside. */
export function decodeArtifact(value: unknown, kind: Exclude<AofFileKind, 'task'>): Verdict<AofArtifact> {
  const verdict = judgeValue(value, AOF_KINDS[kind]) as Verdict<AofArtifact>;
  if (verdict.verdict !== 'accepted' || kind !== 'handoff' || !('parentTaskId' in verdict.message)) return verdict;
  return { ...verdict, message: withReadableCriteria(verdict.message) };
}
