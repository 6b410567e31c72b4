import type { PermissionAsked, QuestionSignal } from '../../../domain/agent/agent-signal.ts';
import type { AcpPermission } from './acp-messages.ts';

/** The kinds of tools of the protocol. */
const ACCESS: Readonly<Record<string, PermissionAsked['access']>> = {
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'command',
  fetch: 'network',
};

/** A permission that an agent asks for, as a question. An agent without a refusing option is told that it is cancelled. */
export function permissionQuestion(id: string, { toolCall, options }: AcpPermission): QuestionSignal {
  // Always is beyond one run.
  const optionOf = (verb: string) =>
    (options.find(({ kind }) => kind === `${verb}_once`) ?? options.find(({ kind }) => kind.startsWith(verb)))
      ?.optionId ?? '';
  const tool = toolCall.title ?? toolCall.name ?? toolCall.kind ?? 'a tool';
  const { command, url } = (toolCall.rawInput ?? {}) as { readonly command?: unknown; readonly url?: unknown };
  const about = [command, url].find((each) => typeof each === 'string');
  const permission: PermissionAsked = {
    tool,
    input: JSON.stringify(toolCall.rawInput ?? {}),
    paths: (toolCall.locations ?? []).map(({ path }) => path),
    access: ACCESS[toolCall.kind ?? ''] ?? 'other',
    ...(typeof about === 'string' && { command: about }),
    reason: null,
    allow: optionOf('allow'),
    refuse: optionOf('reject'),
  };
  const text = `May it use ${tool}?`;
  return { kind: 'question', id, text, options: options.map(({ optionId }) => optionId), permission };
}
