import { useMemo } from 'preact/hooks';
import type { Evidence } from '../../../../src/api/order/order-contract.ts';
import { countText, durationText, moneyText } from '../../../parts/format.ts';
import { type Line, Plot } from '../../../parts/plot.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { type TurnMark, useTurns } from '../turns.ts';
import type { PanelProps } from './evidence-pane.tsx';

/** Tokens and money over time and by attempt, and how sure the agent was. */
export default function CostPanel({ shown: { task, report }, evidence }: PanelProps) {
  const turns = useTurns(task.id);
  if (report === null) return <p class="empty">No agent has worked on it.</p>;
  return (
    <div class="cost">
      <Loaded of={evidence} what="The cost">
        {(found) => <Attempts attempts={found.attempts} />}
      </Loaded>
      <Loaded of={turns} what="The turns">
        {({ marks, isCut }) => (
          <>
            {isCut && <p class="muted">The last {marks.length.toLocaleString('en')} turns.</p>}
            <Plots marks={marks} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Attempts({ attempts }: { readonly attempts: Evidence['attempts'] }) {
  const sum = (of: 'costUsd' | 'tokensInput' | 'tokensOutput') => attempts.reduce((total, each) => total + each[of], 0);
  return (
    <table>
      <thead>
        <tr>
          <th>Attempt</th>
          <th>Agent</th>
          <th>Ended</th>
          <th class="right">Took</th>
          <th class="right">Tokens in</th>
          <th class="right">out</th>
          <th class="right">Cost</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((attempt, at) => (
          <tr key={at}>
            <td>{at + 1}</td>
            <td>{attempt.agent ?? 'nobody'}</td>
            <td>{attempt.end ?? 'running'}</td>
            <td class="right">
              {attempt.endedAt === null
                ? ''
                : durationText(Date.parse(attempt.endedAt) - Date.parse(attempt.startedAt))}
            </td>
            <td class="right">{countText(attempt.tokensInput)}</td>
            <td class="right">{countText(attempt.tokensOutput)}</td>
            <td class="right">{moneyText(attempt.costUsd)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th colSpan={4}>All</th>
          <td class="right">{countText(sum('tokensInput'))}</td>
          <td class="right">{countText(sum('tokensOutput'))}</td>
          <td class="right">{moneyText(sum('costUsd'))}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function Plots({ marks }: { readonly marks: readonly TurnMark[] }) {
  const times = useMemo(() => marks.map(({ at }) => at), [marks]);
  const tokens = useMemo<readonly Line[]>(
    () => [
      { label: 'tokens in', colour: '--accent', values: marks.map(({ tokensInput }) => tokensInput), text: countText },
      { label: 'tokens out', colour: '--good', values: marks.map(({ tokensOutput }) => tokensOutput), text: countText },
    ],
    [marks],
  );
  const money = useMemo<readonly Line[]>(
    () => [{ label: 'cost', colour: '--warn', values: marks.map(({ costUsd }) => costUsd), text: moneyText }],
    [marks],
  );
  const confidence = useMemo<readonly Line[]>(() => {
    const values = marks.map((mark) => mark.confidence);
    return [{ label: 'confidence', colour: '--stale', values, text: (value: number) => value.toFixed(2) }];
  }, [marks]);
  if (marks.length < 2) return <p class="muted">Too few turns for a plot.</p>;
  // One figure, which came with the end of the run, is in the table; a confidence that nobody reported is always 0.5.
  const has = (lines: readonly Line[]) =>
    lines.some(({ values }) => values.filter((value) => value !== null).length > 1) &&
    !(lines === confidence && marks.every((mark) => mark.confidence === 0.5));
  if (![tokens, money, confidence].some(has)) return <p class="muted">The agent reported its cost once, at its end.</p>;
  return (
    <>
      {has(tokens) && <Plot title="Tokens of the run so far" times={times} lines={tokens} />}
      {has(money) && <Plot title="Cost of the run so far" times={times} lines={money} />}
      {has(confidence) && <Plot title="Confidence" times={times} lines={confidence} range={[0, 1]} />}
    </>
  );
}
