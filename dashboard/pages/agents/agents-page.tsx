import type { AgentView } from '../../../src/api/contract.ts';
import type { AgentState, Overview } from '../../../src/api/overview/overview-contract.ts';
import type { AgentStatsAnswer } from '../../../src/api/overview/report-contract.ts';
import { call } from '../../node/call-node.ts';
import { overview } from '../../node/overview.ts';
import { useResource } from '../../node/resource.ts';
import { countText, moneyText } from '../../parts/format.ts';
import { Loaded } from '../../parts/states.tsx';
import { At } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';

/** The agents that can work here: found, ready, busy, out of quota, and what they cost today. */
export default function AgentsPage() {
  const agents = useResource(
    'agents',
    () => call('listAgents', {}),
    ({ type }) => type === 'run.quota_reached',
  );
  const stats = useResource(
    'agent-stats',
    () => call('agentStats', {}),
    ({ type }) => type === 'order.reported',
  );
  return (
    <div class="agents-page">
      <header class="page-head">
        <h1>Agents</h1>
      </header>
      <Loaded of={agents} what="The agents">
        {({ agents: found }) => (
          <div class="scrolls">
            <table class="wide">
              <thead>
                <tr>
                  <th>Agent</th>
                  <th>State</th>
                  <th>Model</th>
                  <th>Version</th>
                  <th>Role</th>
                  <th>Can</th>
                  <th class="right" title="Orders that ended with all checks passed, of all that nobody stopped">
                    Success
                  </th>
                  <th class="right">Running</th>
                  <th class="right">Runs today</th>
                  <th class="right">Tokens today</th>
                  <th class="right">Cost today</th>
                </tr>
              </thead>
              <tbody>
                {found.map((agent) => (
                  <AgentRow key={agent.name} agent={agent} overview={overview.value.value} stats={stats.value.value} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </div>
  );
}

interface AgentRowProps {
  readonly agent: AgentView;
  readonly overview: Overview | null;
  readonly stats: AgentStatsAnswer | null;
}

function AgentRow({ agent, overview: shown, stats }: AgentRowProps) {
  const state = shown?.agents.find(({ name }) => name === agent.name) ?? null;
  const spent = (shown?.spend.byModel ?? []).filter((each) => each.agent === agent.name);
  const sum = (of: 'usd' | 'runs' | 'tokensInput' | 'tokensOutput') =>
    spent.reduce((total, each) => total + each[of], 0);
  return (
    <tr>
      <td>
        <strong>{agent.name}</strong>
        {agent.isDefault && <span class="muted"> default</span>}
      </td>
      <td>
        <State agent={agent} state={state} />
      </td>
      <td>{agent.model}</td>
      <td>{agent.version ?? ''}</td>
      <td>{agent.role}</td>
      <td class="muted">{canText(agent)}</td>
      <td class="right">{successText(agent.name, stats)}</td>
      <td class="right">{state?.running ?? 0}</td>
      <td class="right">{sum('runs')}</td>
      <td class="right">{countText(sum('tokensInput') + sum('tokensOutput'))}</td>
      <td class="right">{moneyText(sum('usd'))}</td>
    </tr>
  );
}

/** 8 of 10, over all repositories. */
function successText(agent: string, answer: AgentStatsAnswer | null): string {
  const own = (answer?.stats ?? []).filter((each) => each.agent === agent);
  const orders = own.reduce((sum, each) => sum + each.orders, 0);
  const passed = own.reduce((sum, each) => sum + Math.round(each.orders * each.successRate), 0);
  return orders === 0 ? '' : `${passed} of ${orders}`;
}

function State({ agent, state }: { readonly agent: AgentView; readonly state: AgentState | null }) {
  if (!agent.ready) {
    return (
      <>
        <Verdict kind="failed" word="not ready" /> <span class="muted">{agent.reason}</span>
      </>
    );
  }
  if (state?.outUntil) {
    return (
      <>
        <Verdict kind="waiting" word="out of quota" /> until <At at={state.outUntil} />
        <div class="muted">{state.outBecause}</div>
      </>
    );
  }
  return (
    <>
      <Verdict kind="checked" word="ready" />{' '}
      <span class="muted">
        {[agent.loggedIn === true && 'logged in', agent.sandboxed ? 'sandboxed' : 'not sandboxed']
          .filter(Boolean)
          .join(', ')}
      </span>
    </>
  );
}

function canText({ can }: AgentView): string {
  const words = [
    can.say && 'hears you',
    can.resume && 'resumes',
    can.askPermission && 'asks',
    can.thoughts && 'thoughts',
    can.usage !== 'none' && `cost ${can.usage === 'live' ? 'live' : 'at its end'}`,
  ];
  return words.filter(Boolean).join(', ');
}
