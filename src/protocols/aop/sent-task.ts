import type { SentMessage } from '../../domain/order/order.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import { isWholePath, isWithin, pathBelow, wholePath } from '../../domain/work/path-text.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { decodeAop } from './decode.ts';
import type { TaskMessage } from './schema/task.ts';

const PATHS = new Set(['path', 'snapshot_path', 'read_paths', 'write_paths']);
/** The workspace of a TASK on its way: every path in it is relative to the folder that its receiver makes. */
const ANY_FOLDER = '.';

/**
 * A TASK as it goes to another node (runtime:sent-task): its paths are relative to its workspace, which travels with it. Refuses
 * one that names other places of this machine.
 */
export function packTask(message: NonNullable<SentMessage>, workspaceRoot: string): object | Refusal {
  const { task, ...rest } = message as TaskMessage;
  const root = wholePath('/', workspaceRoot);
  const { git_branch: _, ...environment } = task.environment;
  const placed = { ...rest, task: { ...task, environment: { ...environment, workspace_root: ANY_FOLDER } } };
  return mapPlaces(placed, {
    path: (path, at) => {
      const whole = wholePath(root, path);
      if (whole === root) return ANY_FOLDER;
      if (!path.startsWith('~') && isWithin(root, whole)) return pathBelow(root, whole);
      return stray(`${path} is not in ${root}, so it does not go to another node`, at);
    },
    command: (command, at) =>
      command.includes(root) ? stray(`the command names ${root}, which another node does not have`, at) : command,
  });
}

function stray(message: string, path: string): Refusal {
  const hint = 'name files of the workspace relative to it, or run the TASK here';
  return { ...refuse('permission-denied', message, path), hint };
}

export interface UnpackedTask {
  readonly text: string;
  readonly target: {
    readonly agentName: string;
    readonly provider: TaskMessage['target']['provider'];
    readonly model: string;
  };
}

export interface TaskPlace {
  readonly workspaceRoot: string;
  /** A new one: the sender's own may be that of a session here. */
  readonly sessionId: string;
  /** Words that this node adds to its objective. */
  readonly more: string;
}

/** A TASK that another node sent, in the folder that was made for it here. One that this protocol does not accept is refused whole. */
export function unpackTask(sent: unknown, { workspaceRoot, sessionId, more }: TaskPlace): UnpackedTask | Refusal {
  const target = targetOfTask(sent);
  if (isRefusal(target)) return target;
  const { session, task, ...rest } = sent as TaskMessage;
  const beyond = mapPlaces(sent as JsonObject, {
    path: (path, at) =>
      isWholePath(path) || path.startsWith('~')
        ? refuse('permission-denied', `${path} is not in the workspace`, at)
        : path,
    command: (command) => command,
  });
  if (isRefusal(beyond)) return beyond;
  const placed = {
    ...rest,
    session: { ...session, session_id: sessionId },
    task: {
      ...task,
      objective: more === '' ? task.objective : `${task.objective}\n\n${more}`,
      environment: { ...task.environment, workspace_root: workspaceRoot },
    },
  };
  return { text: JSON.stringify(placed), target };
}

/** The agent that a TASK of another node asks for; a refusal where it is no TASK. */
export function targetOfTask(sent: unknown): UnpackedTask['target'] | Refusal {
  const verdict = decodeAop(JSON.stringify(sent ?? null));
  if (verdict.verdict !== 'accepted' || verdict.kind !== 'TASK')
    return refuse('invalid-message', 'x_aop is no AOP TASK', '/x_aop');
  const { agent_name: agentName, provider, model } = (verdict.message as TaskMessage).target;
  return { agentName, provider, model };
}

/** The agent of another node that a TASK names as its target, as emma@tower; null where it names none. */
export function addressOfTask(text: string): string | null {
  if (!startsLikeJson(text)) return null;
  const { target } = (readJson(text).value ?? {}) as { readonly target?: { readonly agent_name?: unknown } };
  const name = target?.agent_name;
  return typeof name === 'string' && /^[^@\s]+@[^@\s]+$/.test(name) ? name : null;
}

interface PlaceChange {
  path(path: string, at: string): string | Refusal;
  command(command: string, at: string): string | Refusal;
}

/** Changes every path and command of a TASK; extensions are somebody else's. */
function mapPlaces(value: object, change: PlaceChange): object | Refusal {
  let refused: Refusal | null = null;
  const keep = (found: string | Refusal): string => {
    if (typeof found === 'string') return found;
    refused ??= found;
    return '';
  };
  const walk = (part: unknown, key: string, at: string): unknown => {
    if (typeof part === 'string') {
      if (PATHS.has(key)) return keep(change.path(part, at));
      return key === 'command' ? keep(change.command(part, at)) : part;
    }
    if (Array.isArray(part)) return part.map((item, index) => walk(item, key, `${at}/${index}`));
    if (!isJsonObject(part)) return part;
    const entries = Object.entries(part);
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, name === 'extensions' ? inner : walk(inner, name, `${at}/${name}`)]),
    );
  };
  const mapped = walk(value, '', '') as object;
  return refused ?? mapped;
}
