import { isOperation, OPERATIONS } from '../../domain/external/external-agent.ts';
import { EXTERNAL_BODY_BYTES_MAX, TOKEN_BODY_BYTES_MAX } from '../../domain/external/external-limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { COMPLETION_OUTCOMES } from '../../domain/task/resolve-completion.ts';
import { isThere } from '../../platform/files/durable-files.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { priorityOf, statusNamed } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, flagText, flagTexts, UsageError } from '../command.ts';
import { textOrInput } from '../read-input.ts';
import { clientCommand, connect, IDENTITY, identityOf } from './client-command.ts';
import { clientAnswerText, enrolledText } from './external-text.ts';

const RUN = { takes: 'value', shows: 'RUN', help: 'the run that the claim gave; an earlier one is refused' } as const;

export const clientEnrolCommand: CliCommand = {
  usage: 'baton agent-client enrol URL --identity FILE [--cert SHA256] [--json]',
  about: [
    'Exchanges an invite, which is read from standard input, for tokens. Makes a key and stores it with the tokens in FILE, mode 0600; the',
    'key never leaves it. Prints the thumbprint of the key for the person who invited the agent.',
  ].join(' '),
  examples: [
    'baton agent-client enrol http://127.0.0.1:4711 --identity scout.json < invite.txt',
    'baton agent-client enrol https://node.example:4711 --cert 5F:3A:… --identity scout.json',
  ],
  ignores: ['data', 'key'],
  flags: {
    identity: IDENTITY,
    cert: { takes: 'value', shows: 'SHA256', help: 'the fingerprint of the certificate of a node with TLS' },
  },
  async run(call): Promise<Answer<unknown>> {
    const [url, tooMany] = call.words;
    const example = 'baton agent-client enrol http://127.0.0.1:4711 --identity scout.json';
    if (url === undefined || tooMany !== undefined || !URL.canParse(url))
      throw new UsageError('agent-client enrol: needs the address of the node', example);
    const identity = identityOf(call);
    if (isThere(identity))
      throw new UsageError(`${identity} is there already`, 'name another file, or remove it', 'file_exists');
    const invite = (await textOrInput('-', TOKEN_BODY_BYTES_MAX)).trim();
    if (invite === '')
      throw new UsageError('agent-client enrol: no invite on standard input', `${example} < invite.txt`);
    const certSha256 = flagText(call, 'cert');
    const agent = await connect({
      identity,
      url,
      invite,
      ...(certSha256 !== undefined && { certSha256 }),
    });
    if (isRefusal(agent)) return answerOfCall<object>(agent, { say: clientAnswerText });
    const value = { ...agent.identity, keyThumbprint: await agent.keyThumbprint(), identity };
    return answerOfCall(value, { say: enrolledText });
  },
};

export const clientStatusCommand = clientCommand({
  usage: 'baton agent-client status --identity FILE [--json]',
  about: 'Shows what the agent may do, how many tasks there are, and those that it holds.',
  examples: ['baton agent-client status --identity scout.json'],
  flags: {},
  plan: async () => (agent) => agent.status(),
});

export const clientTasksCommand = clientCommand({
  usage: 'baton agent-client tasks [--unassigned] [--status S] --identity FILE [--json]',
  about: 'Lists the tasks that are routed to the agent; with --unassigned those that wait for anybody.',
  examples: [
    'baton agent-client tasks --identity scout.json',
    'baton agent-client tasks --unassigned --json --identity scout.json',
  ],
  flags: {
    unassigned: { takes: 'nothing', help: 'tasks that are routed to nobody' },
    status: { takes: 'value', shows: 'STATUS', help: 'only tasks of this status' },
  },
  plan: async (call) => {
    const status = flagText(call, 'status');
    const which = {
      ...(call.flags.unassigned && { unassigned: true }),
      ...(status !== undefined && { status: statusNamed(status) }),
    };
    return (agent) => agent.tasks(which);
  },
});

export const clientShowCommand = clientCommand({
  usage: 'baton agent-client show TASK --identity FILE [--json]',
  about: 'Shows a task of the agent.',
  examples: ['baton agent-client show TASK-2026-02-09-057 --identity scout.json'],
  flags: {},
  plan: async (call) => {
    const task = oneTask(call, 'show');
    return (agent) => agent.task(task);
  },
});

export const clientClaimCommand = clientCommand({
  usage: 'baton agent-client claim TASK --identity FILE [--json]',
  about:
    'Claims a task. The claim must be renewed at least every five minutes, with beat or any report about the task.',
  examples: ['baton agent-client claim TASK-2026-02-09-057 --identity scout.json --json'],
  flags: {},
  plan: async (call) => {
    const task = oneTask(call, 'claim');
    return (agent, options) => agent.claim(task, options);
  },
});

export const clientBeatCommand = clientCommand({
  usage: 'baton agent-client beat TASK [--run RUN] --identity FILE [--json]',
  about: 'Renews the claim of a task.',
  examples: ['baton agent-client beat TASK-2026-02-09-057 --identity scout.json'],
  flags: { run: RUN },
  plan: async (call) => {
    const task = oneTask(call, 'beat');
    return (agent) => agent.beat(task, flagText(call, 'run'));
  },
});

export const clientReleaseCommand = clientCommand({
  usage: 'baton agent-client release TASK --identity FILE [--json]',
  about: 'Ends the run without a report: the task is ready for the next claim.',
  examples: ['baton agent-client release TASK-2026-02-09-057 --identity scout.json'],
  flags: {},
  plan: async (call) => {
    const task = oneTask(call, 'release');
    return (agent, options) => agent.release(task, options);
  },
});

export const clientUpdateCommand = clientCommand({
  usage: 'baton agent-client update TASK [TEXT] [--status S] [--run RUN] --identity FILE [--json]',
  about:
    'Adds a line to the work log of a task that the agent holds; TEXT may be - for standard input. --status blocked says that it cannot continue.',
  examples: ['baton agent-client update TASK-2026-02-09-057 "half of the files are read" --identity scout.json'],
  flags: { run: RUN, status: { takes: 'value', shows: 'STATUS', help: 'in-progress, blocked, review or ready' } },
  plan: async (call) => {
    const [task = '', ...words] = call.words;
    const progress = words.length === 0 ? undefined : await textOrInput(words.join(' '), EXTERNAL_BODY_BYTES_MAX);
    const status = flagText(call, 'status');
    if (task === '' || (progress === undefined && status === undefined))
      throw new UsageError('agent-client update: needs a task and a text', 'baton agent-client update TASK "…"');
    const said = {
      ...runOf(call),
      ...(progress !== undefined && { progress }),
      ...(status !== undefined && { status: statusNamed(status) as 'blocked' }),
    };
    return (agent, options) => agent.update(task, said, options);
  },
});

export const clientCompleteCommand = clientCommand({
  usage:
    'baton agent-client complete TASK --outcome OUTCOME [--notes TEXT] [--deliverable D …] [--run RUN] --identity FILE [--json]',
  about: [
    'Reports the outcome of a task and ends the run. OUTCOME is done, partial, needs_review or blocked. The work is reviewed by a person:',
    'nothing that the agent says makes it done.',
  ].join(' '),
  examples: [
    'baton agent-client complete TASK-2026-02-09-057 --outcome done --notes "the branch is pushed" --identity scout.json',
  ],
  flags: {
    run: RUN,
    outcome: { takes: 'value', shows: 'OUTCOME', help: COMPLETION_OUTCOMES.join(', ') },
    notes: { takes: 'value', shows: 'TEXT', help: 'what was done; - for standard input' },
    deliverable: { takes: 'values', shows: 'D', help: 'a file or an address that was made' },
    blocker: { takes: 'values', shows: 'TEXT', help: 'what keeps it from being done' },
  },
  plan: async (call) => {
    const task = oneTask(call, 'complete');
    const outcome = COMPLETION_OUTCOMES.find((each) => each === flagText(call, 'outcome'));
    if (!outcome)
      throw new UsageError('agent-client complete: needs an outcome', `--outcome ${COMPLETION_OUTCOMES.join('|')}`);
    const [notes, deliverables, blockers] = [
      flagText(call, 'notes'),
      flagTexts(call, 'deliverable'),
      flagTexts(call, 'blocker'),
    ];
    const said = {
      ...runOf(call),
      outcome,
      ...(notes !== undefined && { notes: await textOrInput(notes, EXTERNAL_BODY_BYTES_MAX) }),
      ...(deliverables && { deliverables }),
      ...(blockers && { blockers }),
    };
    return (agent, options) => agent.complete(task, said, options);
  },
});

export const clientMessagesCommand = clientCommand({
  usage: 'baton agent-client messages [--all] [--peek] --identity FILE [--json]',
  about: 'Reads the messages for the agent that it has not read yet.',
  examples: ['baton agent-client messages --identity scout.json'],
  flags: {
    all: { takes: 'nothing', help: 'also those that were read before' },
    peek: { takes: 'nothing', help: 'they stay unread' },
  },
  plan: async (call) => (agent) =>
    agent.messages({ ...(call.flags.all && { all: true }), ...(call.flags.peek && { peek: true }) }),
});

export const clientSendCommand = clientCommand({
  usage: 'baton agent-client send TO TEXT [--subject S] [--priority P] --identity FILE [--json]',
  about: 'Sends a message to agents, in the name of this one; TEXT may be - for standard input.',
  examples: ['baton agent-client send emma "the build is green" --identity scout.json'],
  flags: {
    subject: { takes: 'value', shows: 'TEXT', short: 's', help: 'a line about it' },
    priority: { takes: 'value', shows: 'P', help: 'low, normal, high or critical' },
  },
  plan: async (call) => {
    const [to = '', ...words] = call.words;
    if (to === '' || words.length === 0)
      throw new UsageError('agent-client send: needs a recipient and a text', 'baton agent-client send emma "…"');
    const [subject, priority] = [flagText(call, 'subject'), priorityOf(call)];
    const body = await textOrInput(words.join(' '), EXTERNAL_BODY_BYTES_MAX);
    const message = {
      to: to.split(','),
      body,
      ...(subject !== undefined && { subject }),
      ...(priority && { priority }),
    };
    return (agent, options) => agent.send(message, options);
  },
});

export const clientCallCommand = clientCommand({
  usage: 'baton agent-client call OPERATION [ARGUMENTS] --identity FILE [--json]',
  about: 'Makes any operation that the scopes of the agent allow; ARGUMENTS is a JSON object, or - for standard input.',
  examples: [`baton agent-client call task.list '{"unassigned":true}' --identity scout.json`],
  flags: {},
  plan: async (call) => {
    const [operation = '', given = '{}', tooMany] = call.words;
    if (!isOperation(operation) || tooMany !== undefined)
      throw new UsageError(
        `agent-client call: no operation ${JSON.stringify(operation)}`,
        `one of ${Object.keys(OPERATIONS).join(', ')}`,
      );
    const text = await textOrInput(given, EXTERNAL_BODY_BYTES_MAX);
    const values = argumentsOf(text);
    return (agent, options) => agent.invoke(operation, values as never, options);
  },
});

function argumentsOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below, with what is expected.
  }
  throw new UsageError('agent-client call: the arguments are no JSON object', `'{"task":"TASK-2026-02-09-057"}'`);
}

function oneTask(call: Call, verb: string): string {
  const [task, tooMany] = call.words;
  if (task !== undefined && tooMany === undefined) return task;
  throw new UsageError(`agent-client ${verb}: needs one task`, `baton agent-client ${verb} TASK-2026-02-09-057`);
}

function runOf(call: Call): { readonly run?: string } {
  const run = flagText(call, 'run');
  return run === undefined ? {} : { run };
}
