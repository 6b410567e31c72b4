import type { NodeClient } from '../api/contract.ts';
import { NodeFault } from '../api/http/node-fault.ts';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * A call that a node did not take, because it is stopping or gone, is made once more: to the node that took its place,
 * or in this process. What a node may have done is never repeated here.
 */
export function steadyClient(first: NodeClient, connectAgain: () => Promise<NodeClient>): NodeClient {
  let now = first;
  const call = async (name: keyof NodeClient, args: readonly unknown[]): Promise<unknown> => {
    const before = now;
    try {
      return await (before[name] as Call)(...args);
    } catch (error) {
      if (!wasNotTaken(error)) throw error;
    }
    if (now === before) now = await connectAgain();
    return await (now[name] as Call)(...args);
  };
  return new Proxy(first, {
    get: (_client, name) => (typeof name === 'string' ? steady(call, name as keyof NodeClient) : undefined),
  });
}

function steady(call: (name: keyof NodeClient, args: readonly unknown[]) => Promise<unknown>, name: keyof NodeClient) {
  // A client is awaited like any value: it must not look like a promise.
  if ((name as string) === 'then') return undefined;
  return (...args: readonly unknown[]) => call(name, args);
}

function wasNotTaken(error: unknown): boolean {
  if (!(error instanceof NodeFault)) return false;
  return error.code === 'node_stopping' || systemCodes(error).includes('ECONNREFUSED');
}

function systemCodes(error: unknown): unknown[] {
  const codes: unknown[] = [];
  for (let cause = error; cause instanceof Error && codes.length < 5; cause = cause.cause) {
    codes.push((cause as NodeJS.ErrnoException).code);
  }
  return codes;
}
