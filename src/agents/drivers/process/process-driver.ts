import type { AgentFacts } from '../../../domain/agent.ts';
import type { Prompt } from '../../../domain/prompt.ts';
import { refuse } from '../../../domain/refusal.ts';
import { taskForAttempt } from '../../../protocols/aop/task-for-attempt.ts';
import { type AgentDriver, listenOnly } from '../../agent-driver.ts';
import { shownPaths } from '../../own-files.ts';
import { WireReader } from './wire-reader.ts';

/** Any program: the TASK, or a prompt in words, on stdin; messages on stdout. */
export const processDriver: AgentDriver = {
  name: 'process',
  tracesItself: true,
  can: { say: false, resume: false, askPermission: false, usage: 'live', thoughts: true },
  // Baton does not know which hosts a program needs: it has the network of its grant, and no more.
  hasRemoteModel: false,
  plan({ agent, prompt, workspace, profile, isHeadless }) {
    if (agent.command === null) return refuse('E_AGENT_NOT_FOUND', `${agent.name} has no command to start it with`);
    return {
      argv: agent.command,
      env: {
        ...(profile && { BATON_EXECUTION_PROFILE: profile }),
        ...(isHeadless !== undefined && { BATON_HEADLESS_MODE: String(isHeadless) }),
      },
      envNames: [],
      stdin: stdinOf(prompt, agent),
      readPaths: shownPaths(agent, workspace),
    };
  },
  converse: ({ prompt, agent }) => listenOnly(new WireReader(prompt.ordered?.order ?? null, agent.name)),
};

/** A program reads the TASK as JSON, or a v1 prompt where it does not read AOP v2; without an order it gets the words. */
export function stdinOf({ words, ordered }: Prompt, agent: AgentFacts): string {
  return ordered === null ? words : taskForAttempt(ordered, agent).text;
}
