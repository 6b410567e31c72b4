import type * as z from 'zod';
import { MESSAGE_FINDINGS_MAX } from '../domain/federation/message-limits.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import type { Malformed, Problem, Verdict, Warning } from './codec.ts';
import { explainIssue } from './explain-issue.ts';
import { fitsSchema } from './fits-schema.ts';
import { type Issue, type IssueDetail, type Path, pointer } from './issue.ts';
import { findUnknownFields, type UnknownField } from './unknown-fields.ts';

/** A rule across fields: checks a message that fits its schema and returns the issues. */
export type Rule<Message> = (message: Message) => readonly Issue[];

/** The treatment of unknown fields, which differs by document (common:unknown-fields). */
export type UnknownFieldPolicy = (key: string) => 'refuse' | 'drop' | 'keep' | 'allow';

export interface MessageKind<Message> {
  readonly kind: string;
  readonly schema: z.ZodType<Message>;
  /** A broken rule makes the message malformed. */
  readonly rules: readonly Rule<Message>[];
  /** Broken advice is a warning; each such issue carries its code. */
  readonly advice: readonly Rule<Message>[];
  readonly unknownFields: UnknownFieldPolicy;
  /** The code of a malformed message, unless its only errors carry codes of their own. */
  codeOf(errors: readonly Issue[]): string;
}

/** Zod compiles a schema on first use, which takes longer than judging one message with the interpreter. */
const JUDGED_BEFORE_COMPILING = 16;
let judged = 0;

/** Judges a message of any protocol: schema, unknown fields, rules, advice. Findings have the order of the message. */
export function judgeValue<Message>(value: unknown, kind: MessageKind<Message>): Verdict<Message> {
  const findings: Findings = { errors: [], warnings: [], dropped: [] };
  if (!fitsSchema(kind.schema, value)) findInShape(value, kind, findings);
  const { errors, warnings, dropped } = findings;
  if (errors.length === 0) gather(kind.rules, value as Message, errors);
  if (errors.length > 0) return malformed({ kind: kind.kind, code: kind.codeOf(errors) }, errors, value);
  const message = dropped.length === 0 ? value : without(value, dropped);
  gather(kind.advice, message as Message, warnings);
  return { verdict: 'accepted', kind: kind.kind, message: message as Message, warnings: toWarnings(value, warnings) };
}

function gather<Message>(rules: readonly Rule<Message>[], message: Message, to: Issue[]): void {
  for (let at = 0; at < rules.length; at++) {
    const found = rules[at]?.(message) ?? [];
    if (found.length > 0) to.push(...found);
  }
}

/** The errors of the schema, which only Zod can explain, and the fields that no schema names. */
function findInShape<Message>(value: unknown, kind: MessageKind<Message>, findings: Findings): void {
  const parsed = kind.schema.safeParse(value, { jitless: judged++ < JUDGED_BEFORE_COMPILING });
  if (!parsed.success) for (const issue of parsed.error.issues) findings.errors.push(...issuesOf(issue, value));
  for (const unknown of findUnknownFields(kind.schema, value)) sortUnknown(unknown, kind.unknownFields, findings);
}

/** A malformed message has no warnings: nothing in it is acted on. Errors have the order of `value`, the message. */
export function malformed(
  what: Pick<Malformed, 'kind' | 'code'>,
  errors: readonly Issue[],
  value: unknown = null,
): Malformed {
  return { verdict: 'malformed', ...what, errors: toProblems(value, errors), warnings: [] };
}

/** The code that all errors share, else the codec's own. */
export function ownCodeOr(errors: readonly Issue[], code: string): string {
  const first = errors[0]?.code;
  return first !== undefined && errors.every((error) => error.code === first) ? first : code;
}

export function toWarnings(value: unknown, issues: readonly Issue[]): Warning[] {
  if (issues.length === 0) return [];
  return inDocumentOrder(value, bounded(issues)).map((issue) => ({
    code: issue.code ?? 'warning',
    path: pointer(issue.path),
    message: explainIssue(issue),
  }));
}

function toProblems(value: unknown, issues: readonly Issue[]): Problem[] {
  const told = inDocumentOrder(value, bounded(issues));
  return told.map((issue) => ({ path: pointer(issue.path), message: explainIssue(issue) }));
}

/** Bounds the answer to a message with a million unknown fields. */
function bounded(issues: readonly Issue[]): readonly Issue[] {
  const left = issues.length - MESSAGE_FINDINGS_MAX;
  if (left <= 0) return issues;
  const text = `has ${left} more findings, which are left out here`;
  return [...issues.slice(0, MESSAGE_FINDINGS_MAX), { path: [], kind: 'note', text, code: 'findings_left_out' }];
}

interface Findings {
  readonly errors: Issue[];
  readonly warnings: Issue[];
  readonly dropped: Path[];
}

function sortUnknown(field: UnknownField, policy: UnknownFieldPolicy, to: Findings): void {
  const key = String(field.path.at(-1));
  const { path, known } = field;
  if (key === 'constructor' || key === 'prototype') {
    to.errors.push({ path, kind: 'forbidden-key' });
    return;
  }
  const decision = policy(key);
  if (decision === 'refuse') to.errors.push({ path, kind: 'unknown-field', known });
  if (decision === 'keep') to.warnings.push({ path, kind: 'unknown-field', known, code: 'unknown_field' });
  if (decision === 'drop') {
    to.dropped.push(path);
    to.warnings.push({ path, kind: 'dropped-field', code: 'unknown_field' });
  }
}

function without(value: unknown, paths: readonly Path[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const path of paths) {
    const parent = at(copy, path.slice(0, -1));
    if (isJsonObject(parent)) delete parent[String(path.at(-1))];
  }
  return copy;
}

function at(value: unknown, path: Path): unknown {
  let here = value;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<string | number, unknown>)[part];
  }
  return here;
}

/** A finding of Zod as an issue. */
function issuesOf(issue: z.core.$ZodIssue, root: unknown): Issue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  const got = at(root, path);
  if (issue.code === 'custom') return [{ path, ...detailGiven(issue.params as IssueDetail, got) }];
  if (got === undefined) return [{ path, kind: 'missing' }];
  return [{ path, ...detailOf(issue, got) }];
}

/** The issue of a refinement, completed by the value it got; a text that is too long is described by its length. */
function detailGiven(detail: IssueDetail, got: unknown): IssueDetail {
  if (detail.kind !== 'too-long') return { got, ...detail } as IssueDetail;
  return typeof got === 'string' ? { ...detail, got: countCharacters(got) } : detail;
}

function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  return characters;
}

function detailOf(issue: Exclude<z.core.$ZodIssue, { code: 'custom' }>, got: unknown): IssueDetail {
  switch (issue.code) {
    case 'invalid_type':
      return { kind: 'wrong-type', expected: typeNamed(issue.expected), got };
    case 'invalid_value':
      if (issue.values.length === 1) return { kind: 'not-exactly', want: issue.values[0], got };
      return { kind: 'not-one-of', options: issue.values.map(String), got };
    case 'too_small':
      return tooSmall(issue, got);
    case 'too_big':
      return tooBig(issue, got);
    case 'invalid_union':
      return { kind: 'not-one-of', options: 'options' in issue ? (issue.options ?? []).map(String) : [], got };
    default:
      return { kind: 'note', text: 'is not valid' };
  }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, got: unknown): IssueDetail {
  if (issue.origin === 'string') return { kind: 'empty' };
  if (issue.origin === 'array') return { kind: 'too-few', min: Number(issue.minimum), unit: 'items' };
  return { kind: 'below', min: Number(issue.minimum), exclusive: issue.inclusive === false, got };
}

function tooBig(issue: z.core.$ZodIssueTooBig, got: unknown): IssueDetail {
  if (issue.origin === 'array') {
    return { kind: 'too-long', max: Number(issue.maximum), unit: 'items', got: (got as unknown[]).length };
  }
  return { kind: 'above', max: Number(issue.maximum), exclusive: issue.inclusive === false, got };
}

function typeNamed(expected: string): string {
  const names: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'an object',
    record: 'an object',
    array: 'a list',
    never: 'absent',
    null: 'null',
  };
  return names[expected] ?? expected;
}

/** Sorts findings by their position in the message; missing fields come after present ones. */
function inDocumentOrder(value: unknown, issues: readonly Issue[]): readonly Issue[] {
  if (issues.length < 2) return issues;
  const known: KeyPlaces = new Map();
  const places = new Map(issues.map((issue) => [issue, placeOf(value, issue.path, known)]));
  return issues.toSorted((a, b) => comparePlaces(places.get(a) ?? [], places.get(b) ?? []));
}

/** The positions of an object's keys, cached: an object with many findings is indexed once. */
type KeyPlaces = Map<object, ReadonlyMap<string, number>>;

function placeOf(value: unknown, path: Path, known: KeyPlaces): number[] {
  let here = value;
  return path.map((part) => {
    const place = typeof here === 'object' && here !== null ? placesIn(here, known).get(String(part)) : undefined;
    here = place === undefined ? undefined : (here as Record<string | number, unknown>)[part];
    return place ?? Number.MAX_SAFE_INTEGER;
  });
}

function placesIn(parent: object, known: KeyPlaces): ReadonlyMap<string, number> {
  const before = known.get(parent);
  if (before) return before;
  const places = new Map(Object.keys(parent).map((key, place) => [key, place]));
  known.set(parent, places);
  return places;
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
