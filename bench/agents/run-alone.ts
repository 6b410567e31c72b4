import { NEEDS_NOTHING } from '../../src/agents/agent-driver.ts';
import { agentEnvironment } from '../../src/agents/agent-environment.ts';
import { BubblewrapSandbox } from '../../src/agents/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { loopbackPortsOf } from '../../src/domain/order/network-word.ts';
import { AGENT_DRIVERS } from '../../src/node/agents/agent-drivers.ts';
import { aLaunch, fixtureAgent } from '../../test/support/agent/a-launch.ts';
import type { CliStage } from '../../test/support/agent/cli-stage.ts';
import type { VendorCli } from '../../test/support/agent/vendor-cli.ts';

/** The vendor's program as its driver starts it, in the sandbox that a run has, and nothing else of Baton. */
export async function runAlone(vendor: VendorCli, { repository, variables }: CliStage): Promise<void> {
  const driver = AGENT_DRIVERS.find(({ name }) => name === vendor.name);
  const agent = { ...fixtureAgent('completes'), name: vendor.name, driver: driver?.name ?? 'process', command: null };
  const prompt = { words: 'Do the work.', ordered: null };
  const launch = aLaunch({ agent, prompt, workspace: repository.root, isSandboxed: true, variables });
  const plan = driver?.plan(launch);
  if (plan === undefined || !('argv' in plan)) throw new Error(`${vendor.name} cannot be started`);
  const { hosts, readPaths, writePaths, privatePaths } = driver?.needs?.(launch) ?? NEEDS_NOTHING;
  const { env, secrets } = agentEnvironment({
    ...{ variables, envNames: plan.envNames, env: plan.env, isSandboxed: true },
    run: { taskId: null, runId: 'run_alone', sessionId: 'alone', endpoint: null },
  });
  const live = await new BubblewrapSandbox('/usr/bin/bwrap').start({
    ...{ argv: plan.argv, cwd: repository.root, env, stdin: plan.stdin, secrets },
    grant: {
      ...launch.grant,
      readPaths: [...launch.grant.readPaths, ...plan.readPaths, ...readPaths],
      writePaths: [...launch.grant.writePaths, ...writePaths],
      privatePaths,
      network: { level: 'RESTRICTED', hosts, loopbackPorts: loopbackPortsOf(hosts) },
    },
    onLine: () => {},
  });
  const end = await live.ended;
  if (end.kind !== 'exited' || end.exitCode !== 0) throw new Error(`${vendor.name} ended: ${JSON.stringify(end)}`);
}
