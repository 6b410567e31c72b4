import type { ExternalAgent, ExternalAgentOptions, InvokeOptions } from '../../api/external/external-agent.ts';
import { loadIdentityFile } from '../../config/load.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { callOptions } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, type CommandText, flagText, UsageError } from '../command.ts';
import { clientAnswerText } from './external-text.ts';

export const IDENTITY = {
  takes: 'value',
  shows: 'FILE',
  help: 'the file with its key and tokens (default: BATON_IDENTITY)',
} as const;
const CORR = { takes: 'value', shows: 'ID', help: 'ties calls together in the audit of the node' } as const;
export interface ClientCommand extends Omit<CommandText, 'ignores'> {
  /** Checks the call before anything is sent. */
  plan(call: Call): Promise<(agent: ExternalAgent, options: InvokeOptions) => Promise<object | Refusal>>;
}

/** A command of an external agent: it reaches its node by the file of its identity, and no data folder. */
export function clientCommand({ plan, flags, ...text }: ClientCommand): CliCommand {
  return {
    ...text,
    ignores: ['data'],
    flags: { ...flags, identity: IDENTITY, corr: CORR },
    async run(call): Promise<Answer<unknown>> {
      const ask = await plan(call);
      const agent = await connect({ identity: identityOf(call) });
      if (isRefusal(agent)) return answerOfCall<object>(agent, { say: clientAnswerText });
      const corrId = flagText(call, 'corr');
      const options = { ...callOptions(call), ...(corrId !== undefined && { corrId }) };
      return answerOfCall(await ask(agent, options), { say: clientAnswerText });
    },
  };
}

export function identityOf(call: Call): string {
  const file = loadIdentityFile(flagText(call, 'identity'));
  if (file !== null) return file;
  throw new UsageError('needs the file of the agent', '--identity FILE, or BATON_IDENTITY');
}

/** Behind an import of its own: help and completion need no keys. */
export async function connect(options: ExternalAgentOptions): Promise<ExternalAgent | Refusal> {
  const { connectExternalAgent } = await import('../../api/external/external-agent.ts');
  return await connectExternalAgent(options);
}
