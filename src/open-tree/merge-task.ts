import { isDeepStrictEqual } from 'node:util';
import { maskWritten, restoreMasked } from '../domain/secrets/mask-written.ts';
import type { TaskText } from '../domain/task/task-text.ts';
import { mergeBody } from './merge-body.ts';

export type MergedTask =
  | {
      readonly kind: 'merged';
      /** The merged text; the status is decided separately. */
      readonly text: Omit<TaskText, 'status'>;
      /** Fields that differ from the ledger. */
      readonly changed: readonly string[];
    }
  | { readonly kind: 'conflict'; readonly fields: readonly string[] };

export interface Texts {
  /** The text that the person saw; null if it is unknown. */
  readonly base: TaskText | null;
  readonly ledger: TaskText;
  readonly disk: TaskText;
}

const PLAIN_FIELDS = ['title', 'priority', 'agent', 'role', 'team', 'resource', 'sla'] as const;
const SET_FIELDS = ['tags', 'dependsOn'] as const;

/** Merges field by field. A field that both sides changed differently is a conflict. A file shows secrets masked: they stay. */
export function mergeTask({ base, ledger, disk }: Texts): MergedTask {
  const title = maskWritten(ledger.title);
  const body = maskWritten(ledger.body);
  if (title === ledger.title && body === ledger.body) return mergeShown({ base, ledger, disk });
  const merged = mergeShown({ base, ledger: { ...ledger, title, body }, disk });
  if (merged.kind === 'conflict') return merged;
  const text = {
    ...merged.text,
    title: restoreMasked(merged.text.title, ledger.title),
    body: restoreMasked(merged.text.body, ledger.body),
  };
  return { kind: 'merged', text, changed: changedFields(text, ledger) };
}

function mergeShown({ base, ledger, disk }: Texts): MergedTask {
  const conflicts: string[] = [];
  const merged: Record<string, unknown> = {};
  for (const field of PLAIN_FIELDS) {
    const picked = pick(base && { value: base[field] }, ledger[field], disk[field]);
    if (picked === null) conflicts.push(field);
    else merged[field] = picked.value;
  }
  for (const field of SET_FIELDS) {
    if (base !== null) merged[field] = mergeSet(base[field], ledger[field], disk[field]);
    else if (isDeepStrictEqual(ledger[field], disk[field])) merged[field] = ledger[field];
    else conflicts.push(field);
  }
  merged.metadata = mergeMetadata({ base, ledger, disk }, conflicts);
  const body = mergeBody({ base: base?.body ?? null, ledger: ledger.body, disk: disk.body });
  if (body.kind === 'conflict') conflicts.push(body.field);
  else merged.body = body.body;
  if (conflicts.length > 0) return { kind: 'conflict', fields: conflicts };
  const text = merged as unknown as Omit<TaskText, 'status'>;
  return { kind: 'merged', text, changed: changedFields(text, ledger) };
}

interface FieldValue {
  readonly value: unknown;
}

/** Null if both sides changed it. */
function pick(base: FieldValue | null, ledger: unknown, disk: unknown): FieldValue | null {
  if (isDeepStrictEqual(disk, ledger)) return { value: ledger };
  if (base === null) return null;
  if (isDeepStrictEqual(disk, base.value)) return { value: ledger };
  return isDeepStrictEqual(ledger, base.value) ? { value: disk } : null;
}

/** Applies the additions and removals of both sides. */
function mergeSet(base: readonly string[], ledger: readonly string[], disk: readonly string[]): readonly string[] {
  if (isDeepStrictEqual(base, ledger)) return disk;
  const kept = ledger.filter((each) => disk.includes(each) || !base.includes(each));
  return [...kept, ...disk.filter((each) => !base.includes(each) && !kept.includes(each))];
}

/** Merges key by key. */
function mergeMetadata({ base, ledger, disk }: Texts, conflicts: string[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(ledger.metadata), ...Object.keys(disk.metadata)])) {
    const was = base && { value: base.metadata[key] };
    const picked = pick(was, ledger.metadata[key], disk.metadata[key]);
    if (picked === null) conflicts.push(`metadata.${key}`);
    else if (picked.value !== undefined) merged[key] = picked.value;
  }
  return merged;
}

function changedFields(merged: Omit<TaskText, 'status'>, ledger: TaskText): string[] {
  const fields = [...PLAIN_FIELDS, ...SET_FIELDS, 'metadata', 'body'] as const;
  return fields.filter((field) => !isDeepStrictEqual(merged[field], ledger[field]));
}
