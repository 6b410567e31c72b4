import type { AgentFacts } from '../../../domain/agent/agent.ts';
import type { Prompt } from '../../../domain/order/prompt.ts';
import { refuse } from '../../../domain/refusal.ts';
import { taskForAttempt } from '../../../protocols/aop/task-for-attempt.ts';
import { type AgentDriver, type Conversation, type Launch, listenOnly, NEEDS_NOTHING } from '../../agent-driver.ts';
import { configuredNeeds } from '../../configured-needs.ts';
import { shownPaths } from '../../own-files.ts';
import { FeedbackReader } from './feedback-reader.ts';
import { WireReader } from './wire-reader.ts';

/** Any program: the TASK, or a prompt in words, on stdin; messages on stdout. */
export const processDriver: AgentDriver = {
  name: 'process',
  tracesItself: true,
  can: { say: false, resume: false, askPermission: false, usage: 'live', thoughts: true },
  // Baton does not know which hosts a program needs: it has the network of its grant, and no more.
  hasRemoteModel: false,
  needs: ({ agent, variables }) => (isConfigured(agent) ? configuredNeeds(agent, variables) : NEEDS_NOTHING),
  plan({ agent, prompt, workspace, profile, isHeadless, resume }) {
    if (agent.command === null) return refuse('agent-not-found', `${agent.name} has no command to start it with`);
    return {
      // AFP §2.1: the session goes to the tool, never into the request.
      argv: [...agent.command, ...(prompt.message && resume !== null ? ['--session', resume] : [])],
      env: {
        ...(profile && { BATON_EXECUTION_PROFILE: profile }),
        ...(isHeadless !== undefined && { BATON_HEADLESS_MODE: String(isHeadless) }),
      },
      envNames: agent.env ?? [],
      stdin: stdinOf(prompt, agent),
      readPaths: shownPaths(agent, workspace),
    };
  },
  converse: readerOf,
};

/** A program whose configuration says what it needs beside its files has these, and an empty home. */
function isConfigured({ hosts, writes }: AgentFacts): boolean {
  return hosts !== undefined || writes !== undefined;
}

/** For a request for feedback, that of its answer. */
export function readerOf({ prompt, agent, resume }: Launch): Conversation {
  if (prompt.message) return listenOnly(new FeedbackReader(resume));
  return listenOnly(new WireReader(prompt.ordered?.order ?? null, agent.name));
}

/** A program reads the TASK as JSON, or a v1 prompt where it does not read AOP v2; without an order it gets the words, or a message. */
export function stdinOf({ words, ordered, message }: Prompt, agent: AgentFacts): string {
  if (message) return message.text;
  return ordered === null ? words : taskForAttempt(ordered, agent).text;
}
