import type { ShapeName } from './schemas.ts';

/** One call of a node. Clients, routes, rights and the OpenAPI document are made from it. */
export interface CallSpec {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** A part in braces is a field of the request; the other fields are the query of a GET, the JSON body of the rest. */
  readonly path: string;
  readonly request: ShapeName;
  readonly answer: ShapeName;
  readonly effect: 'reads' | 'changes';
  /** `keyed`: sent again with its key it changes nothing. `never`: a caller that got no answer must not send it again. */
  readonly repeat: 'safe' | 'keyed' | 'never';
  /** `own-task`: a run may make it too, about its own task. `anybody`: it needs no token. `external`: an external agent makes it. */
  readonly who: 'operator' | 'own-task' | 'anybody' | 'external';
  readonly about: string;
  /** The fields of the request that name tasks beside the path's `{task}`, in the order in which a node resolves them. */
  readonly names?: readonly string[];
  /** The task does not exist before this call, so no earlier call of a batch is about it. */
  readonly isNew?: true;
  /** The request's `run` travels as the header Baton-Run. */
  readonly carriesRun?: true;
  /** Checks, git and copies have no bound on their time, so the client sets no time limit. */
  readonly isLong?: true;
  readonly status?: 201;
  /** Over HTTP it answers within HTTP_TREE_WAIT_MS_MAX: with this while it still waits, and the client asks again. */
  readonly pending?: object;
  /**
   * Not one JSON value: a message of any protocol, a stream of events, lines of JSON. `login`: only a browser makes it. `proof` and
   * `proved-events`: it carries a proof of possession.
   */
  readonly form?: 'message' | 'events' | 'lines' | 'login' | 'proof' | 'proved-events';
}

export const READ = { method: 'GET', effect: 'reads', repeat: 'safe', who: 'operator' } as const;
export const CHANGE = { method: 'POST', effect: 'changes', repeat: 'keyed', who: 'operator' } as const;
/** Changes that are harmless when made twice, and those that must not be. */
export const REPEATABLE = { ...CHANGE, repeat: 'safe' } as const;
export const ONCE = { ...CHANGE, repeat: 'never', isLong: true } as const;
