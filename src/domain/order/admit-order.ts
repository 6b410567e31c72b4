import type { UnreadyAgent } from '../agent/agent.ts';
import { type ChosenAgents, chooseAgents, type KnownAgent } from '../agent/choose-agent.ts';
import type { Fact } from '../execution/fact.ts';
import type { SandboxName } from '../execution/findings.ts';
import { AOP_DELEGATION_DEPTH_MAX } from '../limits.ts';
import { isRefusal, type Refusal, refuseField } from '../refusal.ts';
import { splitCommand } from '../words/split-command.ts';
import { type BeyondBounds, type BoundFacts, needsOf } from './admit-bounds.ts';
import { refusePaths } from './admit-paths.ts';
import type { Order, Validation } from './order.ts';
import type { OrderField } from './order-field.ts';
import type { OrderWarning } from './warning.ts';

/** The facts that decide on the admission of an order. */
export interface AdmissionFacts extends BoundFacts {
  readonly agents: readonly KnownAgent[];
  readonly unready: readonly UnreadyAgent[];
  readonly sandbox:
    | { readonly kind: 'there'; readonly name: SandboxName }
    | { readonly kind: 'missing'; readonly reason: string };
  /** How often the task was delegated; 0 for a task of a person. */
  readonly depth: number;
  /** Warnings from decoding the message; the report repeats them. */
  readonly warnings: readonly OrderWarning[];
}

type AdmittedFact = Extract<Fact, { readonly kind: 'admitted' }>;

/** An order that may run as soon as somebody has allowed what it needs. */
export interface OrderAdmission {
  readonly admitted: AdmittedFact;
  readonly needs: BeyondBounds;
}

/** aop:admission: whether the order may run here, and which agent runs it. Each refusal names a field of the order. */
export function admitOrder(order: Order, facts: AdmissionFacts): OrderAdmission | Refusal {
  const agents = chooseAgents(order, facts);
  const refusal =
    refuseDelegation(order, facts) ??
    (isRefusal(agents) ? agents : null) ??
    refusePaths(order, facts) ??
    refuseCommands(order) ??
    refuseOpenRun(order, facts);
  if (refusal) return refusal;
  const { target, alternatives } = agents as ChosenAgents;
  const isHeld = facts.sandbox.kind === 'there' && facts.sandbox.name !== 'none';
  const admitted = {
    kind: 'admitted',
    agent: target?.name ?? null,
    alternatives: alternatives.map((agent) => agent?.name ?? null),
    sandbox: facts.sandbox.kind === 'there' ? facts.sandbox.name : 'none',
    warnings: isHeld ? facts.warnings : [...facts.warnings, notSandboxed(facts)],
    fallback: null,
  } as const;
  return { admitted, needs: needsOf(order, facts) };
}

/** aop:delegation: a cycle is a schema error; each delegation counts. */
function refuseDelegation({ taskId, parentTaskId }: Order, { depth }: AdmissionFacts): Refusal | null {
  if (parentTaskId === taskId) {
    return refuseField('invalid-message', `${taskId}: a task cannot be its own parent`, { kind: 'parent' });
  }
  if (depth <= AOP_DELEGATION_DEPTH_MAX) return null;
  const message = `it was delegated ${depth} times; at most ${AOP_DELEGATION_DEPTH_MAX} are allowed`;
  return refuseField('delegation-too-deep', message, { kind: 'parent' });
}

/** An order that demands a sandbox is refused without one. */
function refuseOpenRun({ isSandboxDemanded, isFallback }: Order, facts: AdmissionFacts): Refusal | null {
  if (!isSandboxDemanded || (facts.sandbox.kind === 'there' && facts.sandbox.name !== 'none')) return null;
  const why = isFallback ? 'a message that failed its schema' : 'the access that is asked for';
  const message = `${why} needs a sandbox, and there is none: ${reasonOf(facts)}`;
  return refuseField('permission-denied', message, { kind: 'access' });
}

function notSandboxed(facts: AdmissionFacts): OrderWarning {
  return { kind: 'not-sandboxed', code: null, path: null, message: `not sandboxed: ${reasonOf(facts)}` };
}

function reasonOf({ sandbox }: AdmissionFacts): string {
  return sandbox.kind === 'missing' ? sandbox.reason : 'it is switched off';
}

export function refuseCommands(order: Order): Refusal | null {
  for (const { command, field } of commandsOf(order)) {
    const argv = splitCommand(command, order);
    if (isRefusal(argv)) return field === null ? argv : { ...argv, field };
  }
  return null;
}

interface NamedCommand {
  readonly command: string;
  /** Null for a check, which the caller or the configuration names. */
  readonly field: OrderField | null;
}

function commandsOf({ outputs, phases, checks }: Order): readonly NamedCommand[] {
  return [
    ...outputs.flatMap(({ validation }, index) => commandAt(validation, { kind: 'output', index, part: 'command' })),
    ...phases.flatMap(({ position: phase, checkpoints }) =>
      checkpoints.flatMap(({ validation, artifacts }, checkpoint) => [
        ...artifacts.flatMap((artifact, index) =>
          commandAt(artifact.validation, { kind: 'artifact', phase, checkpoint, index, part: 'command' }),
        ),
        ...commandAt(validation, { kind: 'checkpoint', phase, checkpoint }),
      ]),
    ),
    ...checks.map((command) => ({ command, field: null })),
  ];
}

/** The command of file-exists is a path, and nothing runs. */
function commandAt(validation: Validation | null, field: OrderField): readonly NamedCommand[] {
  if (validation === null || validation.expects === 'file-exists') return [];
  return [{ command: validation.command, field }];
}
