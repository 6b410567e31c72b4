import type { Refusal } from '../domain/refusal.ts';
import type { AnsweredName, CALLS, CallName } from './calls.ts';
import type { BatchAnswer, BatchLine, EventView } from './contract.ts';
import type { ShapeOf } from './schemas.ts';
import type { CallOptions } from './task/task-view.ts';

/** The request of a call, as its schema has it: unchangeable, and without the `undefined` of optional fields. */
export type RequestOf<Name extends CallName> = Exact<ShapeOf<(typeof CALLS)[Name]['request']>>;
export type AnswerOf<Name extends CallName> = ShapeOf<(typeof CALLS)[Name]['answer']>;

/** Without the `undefined` of optional fields, and unchangeable. */
export type Exact<Value> = Value extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Exact<Exclude<Value[Field], undefined>> }
    : Value;

/** Messages have a form of their own for what was refused. */
type CallAnswer<Name extends AnsweredName> = (typeof CALLS)[Name] extends { readonly form: 'message' }
  ? AnswerOf<Name>
  : AnswerOf<Name> | Refusal;

type Call<Name extends AnsweredName> = (
  ...given: object extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions]
) => Promise<CallAnswer<Name>>;

/** One method for each call that has an answer. */
export type Calls = { readonly [Name in AnsweredName]: Call<Name> };

/** The one contract of everything that talks to a node, in the same process or over HTTP. */
export interface NodeClient extends Calls {
  /** Events as they happen, each once and in order, until the signal; over HTTP a broken stream is a NodeFault. */
  follow(request: RequestOf<'follow'>, signal?: AbortSignal): Promise<AsyncIterable<EventView> | Refusal>;
  /** Makes many calls; yields their answers in the order of the lines, in groups as they get ready. */
  batch(lines: Iterable<BatchLine> | AsyncIterable<BatchLine>): AsyncIterable<readonly BatchAnswer[]>;
  close(): Promise<void>;
}

/** Calls by name, for code that handles all of them alike. */
export type AnyCall = (request: object, options?: CallOptions) => Promise<object>;

export function callNamed<Name extends AnsweredName>(client: Pick<Calls, Name>, name: Name): AnyCall {
  return client[name] as AnyCall;
}

/** A client made alike for every call of the table. */
export function callsMadeBy(names: readonly AnsweredName[], make: (name: AnsweredName) => AnyCall): Calls {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as Calls;
}
