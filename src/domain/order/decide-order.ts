import type { DriverName, Provider } from '../agent/agent.ts';
import { agentOfTarget } from '../agent/choose-agent.ts';
import type { OrderNotes } from '../execution/fact.ts';
import { isWithin, wholePath } from '../work/path-text.ts';
import { type AccessSources, effectiveAccess } from './access.ts';
import { type Budget, effectiveBudget } from './budget.ts';
import { type Order, type Provenance, type SentMessage, SNAPSHOTS_FOLDER, type Target } from './order.ts';
import { type ExecutionPolicy, effectivePolicy, type PolicySources, WORDS_DEFAULTS } from './policy.ts';

/** The properties of an agent that an order depends on. */
export interface TermsAgent {
  readonly name: string;
  readonly driver: DriverName;
  readonly provider: Provider;
  readonly model: string;
  /** Its default for orders that set no timeout. */
  readonly timeoutSeconds?: number | null;
}

/** The caller's flags and the settings that apply to an order. */
export interface OrderTerms
  extends Pick<Order, 'hosts' | 'checkHosts' | 'memoryBytesMax' | 'isShellAllowed' | 'settings'> {
  readonly bounds: NonNullable<Order['bounds']>;
  /** The caller asks for the whole network: for a text that names no level. */
  readonly isWholeNetworkWanted: boolean;
  /** For a text that has no ids of its own. */
  readonly sessionId: string;
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly origin: string;
  /** For a text that names no workspace. */
  readonly workspaceRoot: string;
  readonly agents: readonly TermsAgent[];
  /** Named by the caller: wins over the text. */
  readonly agentName: string | null;
  /** For a text that names no agent. */
  readonly usualAgent: Pick<TermsAgent, 'name' | 'provider' | 'model'>;
  /** The caller's, which replace the configured ones. */
  readonly checks: readonly string[];
  /** The configured checks: for plain words only, since a program's order defines its own. */
  readonly usualChecks: readonly string[];
  /** The caller's; the order gets the smaller of this and its own. */
  readonly timeoutSeconds: number | null;
  /** The caller's; null leaves it to the text, and to the default for words. */
  readonly retriesMax: number | null;
  /** The smaller of the caller's and the configured cap. */
  readonly costUsdMax: number | null;
  readonly isSandboxDemanded: boolean;
  readonly worktree: Order['worktree'];
}

type Optional = 'inputs' | 'outputs' | 'phases' | 'alternatives' | 'parentTaskId' | 'priority' | 'isDelegationAllowed';

/** The contents of an order's text, as its edge read it. */
export interface OrderText
  extends Pick<Order, 'sessionId' | 'taskId' | 'objective' | 'category' | 'workspaceRoot' | 'gitBranch'>,
    Partial<Pick<Order, Optional>> {
  readonly provenance: Provenance;
  readonly message: SentMessage;
  /** Findings about it, for the report. */
  readonly notes?: OrderNotes;
  /** The sender's names of the tasks that it waits for; null or absent where it does not say. */
  readonly dependsOn?: readonly string[] | null;
  readonly target: Pick<Target, 'agentName' | 'provider' | 'model'> & Partial<Target>;
  /** A program wrote it: it needs no confirmation, and the configured checks do not apply. */
  readonly isProgram: boolean;
  readonly isFallback?: boolean;
  readonly budgets?: Parameters<typeof effectiveBudget>[0];
  readonly policy?: Omit<PolicySources, 'agentTimeoutSeconds'>;
  readonly access?: Omit<AccessSources, 'workspaceRoot' | 'readOnlyPaths'>;
  /** It sets access, network or read_only_mode. */
  readonly asksForBounds?: boolean;
}

/** Every field of an order, from its text, the caller's flags and the configuration (aop:defaults, aop:operator-bounds). */
export function decideOrder(text: OrderText, terms: OrderTerms): Order {
  const { isFallback = false, inputs = [], outputs = [] } = text;
  const target = { ...text.target, agentName: terms.agentName ?? text.target.agentName };
  const paths = { workspaceRoot: text.workspaceRoot, inputs, outputs };
  return {
    sessionId: text.sessionId,
    taskId: text.taskId,
    parentTaskId: text.parentTaskId ?? null,
    origin: terms.origin,
    objective: text.objective,
    ...(text.category !== undefined && { category: text.category }),
    priority: text.priority ?? 'normal',
    target: { profile: null, isHeadless: true, versionsRead: null, ...target },
    ...paths,
    ...(text.gitBranch && { gitBranch: text.gitBranch }),
    phases: text.phases ?? [],
    checks: checksOf(text, terms),
    isShellAllowed: terms.isShellAllowed,
    access: accessOf(text, paths),
    bounds: terms.bounds,
    hosts: isFallback ? [] : terms.hosts,
    checkHosts: isFallback ? [] : terms.checkHosts,
    memoryBytesMax: terms.memoryBytesMax,
    worktree: terms.worktree,
    settings: terms.settings,
    budget: budgetOf(text, terms),
    policy: policyOf(text, target, terms),
    alternatives: isFallback ? [] : (text.alternatives ?? []),
    isDelegationAllowed: !isFallback && (text.isDelegationAllowed ?? false),
    isSandboxDemanded: isFallback || terms.isSandboxDemanded || (text.asksForBounds ?? false),
    isFallback,
    ...(!text.isProgram && { isInWords: true }),
  };
}

/** Plain words say nothing but the objective. */
export function textOfWords(objective: string, terms: OrderTerms): OrderText {
  const { sessionId, taskId, workspaceRoot, usualAgent } = terms;
  const target = { agentName: usualAgent.name, provider: usualAgent.provider, model: usualAgent.model };
  const access = { networkLevels: terms.isWholeNetworkWanted ? (['FULL'] as const) : [] };
  const sent = { provenance: null, message: null, isProgram: false };
  return { sessionId, taskId, workspaceRoot, objective, target, access, ...sent };
}

function checksOf({ isProgram }: OrderText, { checks, usualChecks }: OrderTerms): readonly string[] {
  if (checks.length > 0) return checks;
  return isProgram ? [] : usualChecks;
}

function budgetOf({ budgets = [] }: OrderText, { costUsdMax }: OrderTerms): Budget {
  return effectiveBudget([...budgets, { costUsdMax }]);
}

/** The policy of a message that failed its schema is ignored. */
function policyOf(text: OrderText, target: OrderText['target'], terms: OrderTerms): ExecutionPolicy {
  const { guardRails, executionPolicy } = text.isFallback ? {} : (text.policy ?? {});
  const agentTimeoutSeconds = agentOfTarget(target, terms.agents)?.timeoutSeconds ?? undefined;
  const said = guardRails?.timeoutSeconds ?? executionPolicy?.timeoutSeconds ?? Number.POSITIVE_INFINITY;
  const bound = terms.timeoutSeconds !== null && { timeoutSeconds: Math.min(terms.timeoutSeconds, said) };
  const retries = terms.retriesMax !== null && { retriesMax: terms.retriesMax };
  return effectivePolicy({
    agentTimeoutSeconds,
    guardRails: { ...guardRails, ...bound, ...retries },
    executionPolicy,
    ...(!text.isProgram && { defaults: WORDS_DEFAULTS }),
  });
}

type Paths = Pick<Order, 'workspaceRoot' | 'inputs' | 'outputs'>;

function accessOf({ access, isFallback }: OrderText, paths: Paths): Order['access'] {
  const levels = access?.networkLevels ?? [];
  return effectiveAccess({
    ...access,
    workspaceRoot: paths.workspaceRoot,
    readOnlyMode: isFallback || access?.readOnlyMode,
    readOnlyPaths: readOnlyPathsOf(paths),
    networkLevels: isFallback ? ['RESTRICTED', ...levels] : levels,
  });
}

/**
 * `read_only` applies to inputs that are not also outputs; a folder with an output below it has to be writable.
 * Snapshots in the workspace are read-only too: no agent may change the state that a rollback restores.
 */
function readOnlyPathsOf({ workspaceRoot, inputs, outputs }: Paths): readonly string[] {
  const written = outputs.flatMap(({ path }) => (path === null ? [] : [wholePath(workspaceRoot, path)]));
  const bound = inputs.flatMap(({ type, path, isReadOnly }) => {
    if (!isReadOnly || path === null || (type !== 'FILE' && type !== 'DIRECTORY')) return [];
    const whole = wholePath(workspaceRoot, path);
    return written.some((output) => isWithin(whole, output)) ? [] : [path];
  });
  const hasSnapshots = outputs.some(({ snapshot }) => snapshot?.path);
  return [...new Set([...bound, ...(hasSnapshots ? [`${workspaceRoot}/${SNAPSHOTS_FOLDER}`] : [])])];
}
