import type { AgentDriver } from '../agents/agent-driver.ts';
import { demoDriver } from '../agents/drivers/demo/demo-driver.ts';
import { processDriver } from '../agents/drivers/process/process-driver.ts';
import { type AgentSources, type FoundAgent, findAgents } from '../agents/find-agents.ts';

/** One line a driver. */
export const AGENT_DRIVERS: readonly AgentDriver[] = [processDriver, demoDriver];

/** Everyone who could be given work, ready or not. */
export function agentsHere(sources: Omit<AgentSources, 'drivers'>): FoundAgent[] {
  return findAgents({ ...sources, drivers: AGENT_DRIVERS });
}
