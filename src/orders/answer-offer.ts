import { type BeyondBounds, refuseNeeds } from '../domain/order/admit-bounds.ts';
import { refuseCommands } from '../domain/order/admit-order.ts';
import { WHOLE_NETWORK } from '../domain/order/network-word.ts';
import type { Order } from '../domain/order/order.ts';
import type { OrderNeeds, OrderPlan, OrderRequest } from '../domain/order/order-request.ts';
import type { Round } from '../domain/order/round.ts';
import { canonicalJson } from '../domain/words/canonical-json.ts';
import { isWithin, wholePath } from '../domain/work/path-text.ts';
import { checkNames } from '../domain/work/plan-verification.ts';

/** A round that may begin as soon as somebody has allowed what it needs. */
export interface OfferedRound extends Round {
  readonly plan: OrderPlan;
  readonly needs: BeyondBounds;
}

/** The needs of an order for the person who is asked; null where it needs nothing. */
export function needsForPerson(order: Order, needs: BeyondBounds): OrderNeeds | null {
  const refusal = refuseNeeds(order, needs);
  if (refusal === null) return null;
  const { readPaths, writePaths, isWholeNetwork } = needs;
  const allow = [...readPaths, ...writePaths].map((path) => wholePath(order.workspaceRoot, path));
  return { readPaths, writePaths, isWholeNetwork, yes: { allow, net: isWholeNetwork ? [WHOLE_NETWORK] : [] }, refusal };
}

/**
 * The round as it is with the answers of a person: the leave that it needed, checks that the plan suggested, and the agent that the
 * plan named. `asked` is the request that was planned, `given` the same with the answers. Null where `given` asks for anything else:
 * that is another order.
 */
export function answerOffer<Offered extends OfferedRound>(
  offered: Offered,
  asked: OrderRequest,
  given: OrderRequest,
): Offered | null {
  if (!isSameBeside(asked, given)) return null;
  const { order, plan, needs } = offered;
  const checks = checksAgreed(offered, asked, given);
  if (checks === null || !isAgentAgreed(offered, asked, given)) return null;
  const allowed = added(asked.allow, given.allow);
  const net = added(asked.net, given.net);
  if (allowed === null || net === null) return null;
  const isWide = net.includes(WHOLE_NETWORK);
  if (net.some((word) => word !== WHOLE_NETWORK) || (isWide && !needs.isWholeNetwork)) return null;
  const needed = [...needs.readPaths, ...needs.writePaths].map((path) => wholePath(order.workspaceRoot, path));
  if (!allowed.every((path) => needed.includes(path))) return null;
  const isLeft = (path: string) => !allowed.some((folder) => isWithin(folder, wholePath(order.workspaceRoot, path)));
  const bounds = order.bounds && {
    allow: [...order.bounds.allow, ...allowed],
    network: isWide ? ('FULL' as const) : order.bounds.network,
  };
  const answered = { ...order, checks, ...(bounds && { bounds }) };
  const { text: _, ...flags } = given;
  return {
    ...offered,
    order: answered,
    request: { ...flags, ...(plan.chosen !== undefined && { agent: offered.request?.agent ?? null }) },
    plan: { ...plan, checks: checkNames(answered), suggestedChecks: checks.length > 0 ? [] : plan.suggestedChecks },
    needs: {
      readPaths: needs.readPaths.filter(isLeft),
      writePaths: needs.writePaths.filter(isLeft),
      isWholeNetwork: needs.isWholeNetwork && !isWide,
    },
  };
}

function isSameBeside(asked: OrderRequest, given: OrderRequest): boolean {
  const beside = ({ allow: _allow, net: _net, agent: _agent, checks: _checks, ...rest }: OrderRequest) =>
    canonicalJson(rest);
  const [before, now] = [beside(asked), beside(given)];
  return before.kind === 'text' && now.kind === 'text' && before.text === now.text;
}

/** The new items of a list; null where one was taken away. */
function added(before: readonly string[] = [], now: readonly string[] = []): readonly string[] | null {
  return before.every((each) => now.includes(each)) ? now.filter((each) => !before.includes(each)) : null;
}

/** The checks of the order; null where they are neither those that were planned nor suggested ones. */
function checksAgreed(
  { order, plan }: OfferedRound,
  { checks: asked = [] }: OrderRequest,
  { checks: given = [] }: OrderRequest,
): Order['checks'] | null {
  const isSame = asked.length === given.length && asked.every((check, at) => check === given[at]);
  if (isSame) return order.checks;
  if (asked.length > 0 || !given.every((check) => plan.suggestedChecks.includes(check))) return null;
  return refuseCommands({ ...order, checks: given }) === null ? given : null;
}

/** The caller names the agent of the plan, so that later rounds go to it, too. */
function isAgentAgreed(
  { plan }: OfferedRound,
  { agent: asked }: OrderRequest,
  { agent: given }: OrderRequest,
): boolean {
  if ((asked ?? null) === (given ?? null)) return true;
  return !asked && given === plan.agent.name && plan.chosen === undefined && !plan.isProgram;
}
