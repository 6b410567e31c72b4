import type * as z from 'zod';
import type { SendAnswer } from '../api/contract.ts';
import type { OPERATION_ARGUMENTS } from '../api/external/external-schemas.ts';
import type { Exact, NodeClient } from '../api/node-client.ts';
import type { CallOptions } from '../api/task/task-view.ts';
import type { ExternalCaller, OperationName } from '../domain/external/external-agent.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { maskSecrets, maskTexts } from '../domain/secrets/mask-secrets.ts';
import { refusalOf } from '../messages/received.ts';

type OperationArguments<Name extends OperationName> = Exact<z.infer<(typeof OPERATION_ARGUMENTS)[Name]>>;

/** Everything that an operation is made with. */
export interface OperationCall<Name extends OperationName = OperationName> {
  /** The client of this agent: it makes its calls in the agent's name. */
  readonly client: NodeClient;
  readonly caller: ExternalCaller;
  readonly given: OperationArguments<Name>;
  readonly options: CallOptions;
  readonly corrId: string;
  /** When the call was first made. */
  readonly at: number;
}

type Result = Promise<object | Refusal>;
type Runners = { readonly [Name in OperationName]: (call: OperationCall<Name>) => Result };

/** Each operation as calls of the one table. */
const RUNNERS: Runners = {
  'status.read': readStatus,
  'message.read': ({ client, given }) => client.readMessages(given),
  'message.send': ({ client, given, options, corrId }) => client.sendMessage({ ...masked(given), corrId }, options),
  'message.reply': ({ client, given, options }) => client.replyMessage(masked(given), options),
  'task.list': ({ client, given }) => client.listTasks(given),
  'task.read': ({ client, given }) => client.showTask(given),
  'task.claim': ({ client, given, caller, options }) => client.claimTask({ ...given, agent: caller.agent }, options),
  'task.beat': ({ client, given, caller }) => client.beatTask({ ...given, agent: caller.agent }),
  'task.release': ({ client, given, caller, options }) => client.endTask({ ...given, agent: caller.agent }, options),
  'task.update': updateTask,
  'task.complete': completeTask,
  'admin.agents': ({ client, given }) => client.listExternalAgents(given),
  'admin.audit': ({ client, given }) => client.readAudit(given),
  'admin.revoke': ({ client, given }) => client.revokeExternal(given),
};

/** Runs an operation that was admitted. */
export function runOperation<Name extends OperationName>(name: Name, call: OperationCall<Name>): Result {
  return (RUNNERS[name] as (call: OperationCall<Name>) => Result)(call);
}

const WORDS: ReadonlySet<string> = new Set([
  'subject',
  'body',
  'progress',
  'blockers',
  'notes',
  'deliverables',
  'summaryRef',
]);

/** Secrets in the words of an external agent are stored nowhere. */
function masked<Value>(value: Value): Value {
  return maskTexts(value, (text, name) => (WORDS.has(name) ? maskSecrets(text) : text));
}

/** The numbers of tasks, and those that the agent holds; nothing about the work of others. */
async function readStatus({ client, caller: { agent, scopes } }: OperationCall): Result {
  const status = await client.status();
  if (isRefusal(status)) return status;
  const holds = status.running
    .filter(({ run }) => run?.agent === agent)
    .map(({ id, title, run }) => ({ id, title, run }));
  return { agent, scopes, counts: status.counts, holds };
}

async function updateTask(call: OperationCall<'task.update'>): Result {
  const { task: _task, run: _run, ...said } = call.given;
  const held = await heldRun(call);
  if (isRefusal(held)) return held;
  const payload = { taskId: held.taskId, agentId: call.caller.agent, ...masked(said) };
  const answer = await sendReport(call, held, { type: 'status.update', payload });
  return answer.verdict === 'accepted' ? sentAnswer(answer) : refusedAnswer(answer);
}

/** aof:session-end: the report, and the end of the run. */
async function completeTask(call: OperationCall<'task.complete'>): Result {
  const { client, caller, given, options } = call;
  const { outcome, notes = '', summaryRef = 'outputs/summary.md', deliverables = [], blockers = [] } = masked(given);
  const held = await heldRun(call);
  if (isRefusal(held)) return held;
  const { tests = { total: 0, passed: 0, failed: 0 } } = given;
  const payload = { outcome, summaryRef, deliverables, tests, blockers, notes };
  const answer = await sendReport(call, held, { type: 'completion.report', payload });
  if (answer.verdict !== 'accepted') return refusedAnswer(answer);
  const request = { task: held.taskId, agent: caller.agent, run: held.runId };
  return await client.endTask(request, options.key === undefined ? {} : { key: `${options.key}:end` });
}

interface HeldRun {
  readonly taskId: string;
  readonly runId: string;
}

/** The run that a report is for: the one it names, else the agent's last one. The node refuses a run that has ended. */
async function heldRun({
  client,
  caller: { agent },
  given,
}: OperationCall<'task.update' | 'task.complete'>): Promise<HeldRun | Refusal> {
  const task = await client.showTask({ task: given.task });
  if (isRefusal(task)) return task;
  const runId = given.run ?? task.runs.findLast((run) => run.agent === agent)?.id;
  return { taskId: task.id, runId: runId ?? '' };
}

async function sendReport(
  { client, caller: { agent }, at, options }: OperationCall,
  { taskId, runId }: HeldRun,
  report: { readonly type: string; readonly payload: object },
): Promise<SendAnswer> {
  const route = { taskId, fromAgent: agent, toAgent: 'dispatcher', sentAt: new Date(at).toISOString() };
  const { type, payload } = report;
  const text = JSON.stringify({ protocol: 'aof', version: 1, type, ...route, payload });
  return await client.send({ text, run: runId }, options);
}

function sentAnswer({ task, events, warnings }: SendAnswer): object {
  const noted = events
    .filter(({ type }) => type === 'protocol.message.warning')
    .map(({ payload }) => String(payload.message));
  return { task, warnings: [...warnings.map(({ message }) => message), ...noted] };
}

function refusedAnswer({ code, errors, hint }: SendAnswer): Refusal {
  return refusalOf({ verdict: 'refused', code, errors, hint, warnings: [], events: [], task: null });
}
