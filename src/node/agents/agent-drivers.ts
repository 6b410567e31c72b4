import type { AgentDriver } from '../../agents/agent-driver.ts';
import { acpDriver } from '../../agents/drivers/acp/acp-driver.ts';
import { claudeDriver } from '../../agents/drivers/claude/claude-driver.ts';
import { codexDriver } from '../../agents/drivers/codex/codex-driver.ts';
import { demoDriver } from '../../agents/drivers/demo/demo-driver.ts';
import { geminiDriver } from '../../agents/drivers/gemini/gemini-driver.ts';
import { opencodeDriver } from '../../agents/drivers/opencode/opencode-driver.ts';
import { processDriver } from '../../agents/drivers/process/process-driver.ts';

/** One line a driver. */
export const AGENT_DRIVERS: readonly AgentDriver[] = [
  claudeDriver,
  codexDriver,
  acpDriver,
  geminiDriver,
  opencodeDriver,
  processDriver,
  demoDriver,
];
