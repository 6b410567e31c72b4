import { AOP_DELEGATION_DEPTH_MAX } from '../limits.ts';
import { type Refusal, refuseField } from '../refusal.ts';
import type { SessionPattern } from './session-terms.ts';

/** A task of a session file, as far as the order of the tasks depends on it. */
export interface GraphTask {
  /** The sender's name for it. */
  readonly id: string;
  readonly parent: string | null;
  /** The tasks that it waits for; null leaves that to the pattern. */
  readonly after: readonly string[] | null;
}

/** A task of the session that the ledger has already. */
export interface KnownTask {
  readonly depth: number;
}

/** The graph of a session: for each task, in the order of the file. */
export interface SessionGraph {
  readonly kind: 'graph';
  /** The tasks that it waits for, each once. */
  readonly after: readonly (readonly string[])[];
  /** Delegations above it. */
  readonly depths: readonly number[];
}

/** A refusal that is about one task of the file. */
export interface RefusedMember {
  readonly kind: 'refused-task';
  /** Its place in the file. */
  readonly at: number;
  readonly refusal: Refusal;
}

/**
 * aop:session-file: the whole graph of a session, or the first task that does not fit. Tasks may be named before they appear in
 * the file. A dependency that only the pattern implies gives way to those that the tasks name: it never closes a circle.
 */
export function planGraph(
  pattern: SessionPattern,
  tasks: readonly GraphTask[],
  known: (id: string) => KnownTask | null = () => null,
): SessionGraph | RefusedMember {
  const places = new Map(tasks.map(({ id }, at) => [id, at]));
  const file: FileTasks = { tasks, places, known };
  const refused = refuseTwice(file) ?? refuseCount(pattern, file) ?? refuseUnknown(file) ?? refuseDepth(file);
  if (refused) return refused;
  const named = tasks.map(({ after }) => placesOf(file, after ?? []));
  const implied = impliedBy(pattern, file);
  const kept = withoutCircles(named, implied);
  const circle = findCircle(kept);
  if (circle) return refuseCircle(file, circle);
  const after = tasks.map(({ after: said }, at) => {
    const earlier = (said ?? []).filter((id) => !places.has(id));
    return [...new Set([...earlier, ...(kept[at] as readonly number[]).map((place) => idAt(file, place))])];
  });
  return { kind: 'graph', after, depths: depthsOf(file) as readonly number[] };
}

interface FileTasks {
  readonly tasks: readonly GraphTask[];
  readonly places: ReadonlyMap<string, number>;
  known(id: string): KnownTask | null;
}

type Edges = readonly (readonly number[])[];

function idAt({ tasks }: FileTasks, at: number): string {
  return tasks[at]?.id ?? '';
}

function placesOf({ places }: FileTasks, ids: readonly string[]): number[] {
  return ids.flatMap((id) => places.get(id) ?? []);
}

function refused(at: number, refusal: Refusal): RefusedMember {
  return { kind: 'refused-task', at, refusal };
}

function refuseTwice({ tasks, places }: FileTasks): RefusedMember | null {
  const at = tasks.findIndex(({ id }, place) => places.get(id) !== place);
  if (at === -1) return null;
  const id = tasks[at]?.id ?? '';
  const last = places.get(id) ?? at;
  return refused(
    last,
    refuseField('invalid-message', `two tasks of this file have the name ${id}`, { kind: 'task-id' }),
  );
}

function refuseCount(pattern: SessionPattern, { tasks }: FileTasks): RefusedMember | null {
  if (pattern !== 'SINGLE' || tasks.length === 1) return null;
  const message = `SINGLE is a session of one task, and this file has ${tasks.length}`;
  return refused(1, refuseField('invalid-message', message, { kind: 'pattern' }));
}

function refuseUnknown({ tasks, places, known }: FileTasks): RefusedMember | null {
  const isThere = (id: string) => places.has(id) || known(id) !== null;
  for (const [at, { id, parent, after }] of tasks.entries()) {
    const index = (after ?? []).findIndex((needed) => !isThere(needed) || needed === id);
    if (index !== -1) {
      const needed = after?.[index];
      const message = needed === id ? `${id} cannot wait for itself` : `${needed} is no task of this session`;
      return refused(at, refuseField('invalid-message', message, { kind: 'dependency', index }));
    }
    if (parent !== null && !isThere(parent)) {
      const message = `${parent}, the parent of ${id}, is no task of this session`;
      return refused(at, refuseField('invalid-message', message, { kind: 'parent' }));
    }
  }
  return null;
}

/** The depth of each task; null for one among its own ancestors. */
function depthsOf({ tasks, places, known }: FileTasks): readonly (number | null)[] {
  const depths: (number | null | undefined)[] = tasks.map(() => undefined);
  for (const start of tasks.keys()) {
    const way: number[] = [];
    let at: number | undefined = start;
    let above: number | null = -1;
    while (at !== undefined && depths[at] === undefined) {
      depths[at] = null;
      way.push(at);
      const parent: string | null = tasks[at]?.parent ?? null;
      at = parent === null ? undefined : places.get(parent);
      if (parent !== null && at === undefined) above = known(parent)?.depth ?? -1;
    }
    if (at !== undefined) above = depths[at] ?? null;
    for (const place of way.reverse()) {
      above = above === null ? null : above + 1;
      depths[place] = above;
    }
  }
  return depths as (number | null)[];
}

function refuseDepth(file: FileTasks): RefusedMember | null {
  const depths = depthsOf(file);
  const at = depths.findIndex((depth) => depth === null || depth > AOP_DELEGATION_DEPTH_MAX);
  if (at === -1) return null;
  const id = idAt(file, at);
  const depth = depths[at] ?? null;
  const refusal =
    depth === null
      ? refuseField('invalid-message', `${id} is among its own parents`, { kind: 'parent' })
      : refuseField(
          'delegation-too-deep',
          `${id} was delegated ${depth} times; at most ${AOP_DELEGATION_DEPTH_MAX} are allowed`,
          { kind: 'parent' },
        );
  return refused(at, refusal);
}

/** The dependencies that the pattern adds. A parent of HIERARCHICAL ends after its children, whatever else it waits for. */
function impliedBy(pattern: SessionPattern, { tasks, places }: FileTasks): Edges {
  const last = tasks.length - 1;
  const isOpen = (at: number) => (tasks[at]?.after ?? null) === null;
  switch (pattern) {
    case 'CHAIN':
      return tasks.map((_, at) => (at > 0 && isOpen(at) ? [at - 1] : []));
    case 'MAP_REDUCE':
      return tasks.map((_, at) => (at === last && isOpen(at) ? tasks.slice(0, last).map((_each, place) => place) : []));
    case 'HIERARCHICAL': {
      const children: number[][] = tasks.map(() => []);
      for (const [at, { parent }] of tasks.entries()) {
        const place = parent === null ? undefined : places.get(parent);
        if (place !== undefined) children[place]?.push(at);
      }
      return children;
    }
    default:
      return tasks.map(() => []);
  }
}

/** Both kinds of edges, without implied ones that lie on a circle. */
function withoutCircles(named: Edges, implied: Edges): Edges {
  const all = named.map((edges, at) => [...new Set([...edges, ...(implied[at] ?? [])])]);
  if (implied.every((edges) => edges.length === 0) || named.every((edges) => edges.length === 0)) return all;
  const knots = knotsOf(all);
  return named.map((edges, at) => [
    ...new Set([...edges, ...(implied[at] ?? []).filter((to) => knots[to] !== knots[at])]),
  ]);
}

/** For each task the number of its knot: tasks that all wait for each other share one (Tarjan, without recursion). */
function knotsOf(edges: Edges): readonly number[] {
  const found: number[] = edges.map(() => -1);
  const low: number[] = edges.map(() => 0);
  const knots: number[] = edges.map(() => -1);
  const open: number[] = [];
  let count = 0;
  let knot = 0;
  for (const start of edges.keys()) {
    if (found[start] !== -1) continue;
    const way: { readonly at: number; next: number }[] = [];
    const enter = (at: number) => {
      found[at] = low[at] = count++;
      open.push(at);
      way.push({ at, next: 0 });
    };
    enter(start);
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const { at } = here;
      const to = edges[at]?.[here.next++];
      if (to !== undefined) {
        if (found[to] === -1) enter(to);
        else if (knots[to] === -1) low[at] = Math.min(low[at] ?? 0, found[to] ?? 0);
        continue;
      }
      way.pop();
      const above = way.at(-1)?.at;
      if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[at] ?? 0);
      if (low[at] !== found[at]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        knots[member] = knot;
        if (member === at) break;
      }
      knot++;
    }
  }
  return knots;
}

/** A circle of edges, each task once; null where there is none. */
function findCircle(edges: Edges): readonly number[] | null {
  const waitsFor = edges.map((to) => to.length);
  const dependents: number[][] = edges.map(() => []);
  for (const [at, to] of edges.entries()) for (const place of to) dependents[place]?.push(at);
  const free = [...edges.keys()].filter((at) => waitsFor[at] === 0);
  let done = 0;
  for (let at = free.pop(); at !== undefined; at = free.pop()) {
    done++;
    for (const dependent of dependents[at] ?? []) {
      waitsFor[dependent] = (waitsFor[dependent] ?? 0) - 1;
      if (waitsFor[dependent] === 0) free.push(dependent);
    }
  }
  if (done === edges.length) return null;
  const isLeft = (at: number) => (waitsFor[at] ?? 0) > 0;
  const way = new Set<number>();
  let at = [...edges.keys()].find(isLeft) ?? 0;
  while (!way.has(at)) {
    way.add(at);
    at = edges[at]?.find(isLeft) ?? at;
  }
  const walked = [...way];
  return walked.slice(walked.indexOf(at));
}

const CIRCLE_SHOWN_MAX = 10;

function refuseCircle(file: FileTasks, circle: readonly number[]): RefusedMember {
  const first = Math.min(...circle);
  const at = circle.indexOf(first);
  const ids = [...circle.slice(at), ...circle.slice(0, at), first].map((place) => idAt(file, place));
  const shown = ids.length > CIRCLE_SHOWN_MAX ? [...ids.slice(0, CIRCLE_SHOWN_MAX - 1), '…', ids[0]] : ids;
  const message = `these tasks wait for each other: ${shown.join(' → ')}`;
  const index = (file.tasks[first]?.after ?? []).indexOf(ids[1] ?? '');
  const field = index === -1 ? ({ kind: 'task-id' } as const) : ({ kind: 'dependency', index } as const);
  return refused(first, refuseField('invalid-message', message, field));
}
