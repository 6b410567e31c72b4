import type { AgentState, Overview, SpendToday } from '../../../src/api/overview/overview-contract.ts';
import { connection } from '../../node/live-events.ts';
import { overview } from '../../node/overview.ts';
import { stopAll } from '../../node/task-actions.ts';
import { type Action, ActionButton, ActionNote, useAction } from '../action.tsx';
import { askSure } from '../ask.tsx';
import { counted, countText, moneyText } from '../format.ts';
import { isNarrow } from '../narrow.ts';
import { Ago, At } from '../time.tsx';
import { Shape } from '../verdict.tsx';
import { KeyHint } from './key-hint.tsx';

const NAME_CHARACTERS_MAX = 28;
const CHIPS_MAX = 4;

/** The folder, whether the page is live, what today cost, who can work, and the way to stop it all. */
export function TopBar({ onSearch }: { readonly onSearch: () => void }) {
  const shown = overview.value.value;
  const action = useAction('stop-all');
  return (
    <header class="top">
      <a class="brand" href="/">
        Baton
      </a>
      {shown && (
        <span class="folder" title={shown.workspace}>
          {nameOf(shown.workspace)}
        </span>
      )}
      <Live />
      <span class="space" />
      {shown && <Spend spend={shown.spend} />}
      {shown && <Agents agents={shown.agents} />}
      <span class="bar-actions">
        <button type="button" class="button plain" onClick={onSearch}>
          Search
          <KeyHint of="/" />
        </button>
        <ActionNote action={action} />
        {shown && shown.totals.running > 0 && (
          <ActionButton action={action} onPress={() => void askStopAll(shown, action)} kind="danger">
            Stop all
          </ActionButton>
        )}
        <a class="button main" href="/new">
          New task
          <KeyHint of="n" />
        </a>
      </span>
    </header>
  );
}

function nameOf(folder: string): string {
  const name = folder.split('/').at(-1) ?? folder;
  return name.length > NAME_CHARACTERS_MAX ? `${name.slice(0, NAME_CHARACTERS_MAX)}…` : name;
}

/** A lost connection greys the page and says since when. */
function Live() {
  const { kind, since } = connection.value;
  if (kind === 'live') return <span class="live on">● live</span>;
  if (kind === 'connecting') return <span class="live">○ connecting</span>;
  return (
    <span class="live off" role="status">
      ○ connection lost <Ago at={new Date(since).toISOString()} />, trying again
    </span>
  );
}

function Spend({ spend: { usd, usdMax, byModel } }: { readonly spend: SpendToday }) {
  return (
    <details class="menu spend">
      <summary>
        {moneyText(usd)}
        {usdMax !== null && <span class="muted limit"> of {moneyText(usdMax)}</span>} today
      </summary>
      <div class="panel">
        <h2>Today by model</h2>
        {byModel.length === 0 ? (
          <p class="muted">No agent has run today.</p>
        ) : (
          <table>
            <thead>
              <tr>
                <th>Agent</th>
                <th>Model</th>
                <th class="right">Runs</th>
                <th class="right">Tokens in</th>
                <th class="right">out</th>
                <th class="right">Cost</th>
              </tr>
            </thead>
            <tbody>
              {byModel.map(({ agent, model, runs, tokensInput, tokensOutput, usd: cost }) => (
                <tr key={`${agent} ${model}`}>
                  <td>{agent}</td>
                  <td>{model}</td>
                  <td class="right">{runs}</td>
                  <td class="right">{countText(tokensInput)}</td>
                  <td class="right">{countText(tokensOutput)}</td>
                  <td class="right">{moneyText(cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {usdMax !== null && <p>At most {moneyText(usdMax)} a day.</p>}
        <p class="muted">As the vendors report it. Subscriptions count as what the same tokens cost.</p>
      </div>
    </details>
  );
}

/** One chip for each agent with an account: ready, or out until its quota resets. Those that matter now, where they are many. */
function Agents({ agents }: { readonly agents: readonly AgentState[] }) {
  const all = agents.filter(({ driver, running }) => driver !== 'demo' || running > 0);
  // A narrow bar has room for those that are out, or for the number of those that are ready.
  const out = all.filter(({ outUntil }) => outUntil !== null);
  const known = isNarrow.value && out.length > 0 ? out : all;
  const ranked = known.toSorted((one, other) => rankOf(other) - rankOf(one));
  const most = isNarrow.value ? Math.min(1, out.length) : CHIPS_MAX;
  const kept = new Set(ranked.slice(0, most).map(({ name }) => name));
  const shown = known.filter(({ name }) => kept.has(name));
  const others = known.filter(({ name }) => !kept.has(name));
  return (
    <span class="agents">
      {shown.map((agent) => (
        <Chip key={agent.name} agent={agent} />
      ))}
      {others.length > 0 && (
        <a class="chip" href="/agents">
          {shown.length > 0 ? `${others.length} more` : counted(others.length, 'agent')}{' '}
          {others.every(({ outUntil }) => outUntil === null) && <Shape kind="checked" />}
        </a>
      )}
    </span>
  );
}

function Chip({ agent: { name, model, outUntil, outBecause } }: { readonly agent: AgentState }) {
  return (
    <a class={`chip ${outUntil === null ? '' : 'out'}`} href="/agents" title={outBecause ?? model}>
      {name}{' '}
      {outUntil === null ? (
        <Shape kind="checked" />
      ) : (
        <>
          until <At at={outUntil} />
        </>
      )}
    </a>
  );
}

/** An agent that is out comes first, then those at work, then the default. */
function rankOf({ outUntil, running, isDefault }: AgentState): number {
  return outUntil !== null ? 3 : running > 0 ? 2 : isDefault ? 1 : 0;
}

async function askStopAll({ running }: Overview, action: Action): Promise<void> {
  const body = (
    <ul class="plain-list">
      {running.map(({ id, title, run }) => (
        <li key={id}>
          {title} <span class="muted">{run?.agent ?? ''}</span>
        </li>
      ))}
    </ul>
  );
  const title = `Stop ${counted(running.length, 'running task')}?`;
  const isSure = await askSure({ title, submit: 'Stop all', body, isDanger: true });
  if (isSure) await action.run(() => stopAll(running.map(({ id }) => id)));
}
