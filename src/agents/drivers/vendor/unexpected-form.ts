import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';

/** A known event in an unknown form: a vendor changes its format with a version. */
export function unexpectedForm(program: string, version: string | null | undefined, event: string): AgentSignal {
  const who = version ? `${program} ${version}` : program;
  return { kind: 'unexpected', message: `${who} sent ${event} in a form that Baton does not know` };
}
