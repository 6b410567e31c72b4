import type { LinkView } from '../../../src/api/federation/federation-contract.ts';
import { counted } from '../../parts/format.ts';
import { param, withParams } from '../../parts/route.ts';
import { Verdict } from '../../parts/verdict.tsx';
import type { CapabilityFacts } from './capability-facts.ts';

const ROWS_MAX = 50;

interface LagProps {
  readonly links: readonly LinkView[];
  readonly total: number;
}

/** Each direction between two nodes, those that lag most first. */
export function LagTable({ links, total }: LagProps) {
  const isAll = param('pairs') === 'all';
  return (
    <section aria-labelledby="lag">
      <header class="section">
        <h2 id="lag">
          Lag <span class="count">{counted(total, 'pair')}</span>
        </h2>
        <a href={withParams({ pairs: isAll ? '' : 'all' })}>
          {isAll ? 'Only those of this node' : 'Also between others'}
        </a>
      </header>
      {links.length === 0 ? (
        <p class="empty">No node has sent another anything yet. A pair begins with the first message.</p>
      ) : (
        <div class="scrolls">
          <table>
            <thead>
              <tr>
                <th>Reader</th>
                <th>Reads</th>
                <th>State</th>
                <th class="right">To read</th>
                <th class="right">At</th>
                <th class="right">Of</th>
              </tr>
            </thead>
            <tbody>
              {links.slice(0, ROWS_MAX).map(({ source, reader, seq, cursor, lag }) => (
                <tr key={`${reader} ${source}`}>
                  <td>{reader}</td>
                  <td>{source}</td>
                  <td>
                    <Verdict kind={lag === 0 ? 'checked' : 'waiting'} word={lag === 0 ? 'in step' : 'behind'} />
                  </td>
                  <td class="right">{lag.toLocaleString('en')}</td>
                  <td class="right">{cursor.toLocaleString('en')}</td>
                  <td class="right">{seq.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Rest total={total} shown={Math.min(ROWS_MAX, links.length)} command="baton node lag --all" />
        </div>
      )}
    </section>
  );
}

/** The work that agents of all nodes do for others. */
export function CapabilityTable({ capabilities }: { readonly capabilities: readonly CapabilityFacts[] }) {
  return (
    <section aria-labelledby="capabilities">
      <header class="section">
        <h2 id="capabilities">
          Capabilities <span class="count">{capabilities.length}</span>
        </h2>
      </header>
      {capabilities.length === 0 ? (
        <p class="empty">
          No node has published one. <code>baton capability publish CAPABILITY --agent AGENT --skill NAME</code>
        </p>
      ) : (
        <div class="scrolls">
          <table>
            <thead>
              <tr>
                <th>Capability</th>
                <th>Agent</th>
                <th>Node</th>
                <th>Version</th>
                <th>Status</th>
                <th>Skill</th>
                <th class="right">Takes</th>
                <th class="right">Agents that can</th>
              </tr>
            </thead>
            <tbody>
              {capabilities.slice(0, ROWS_MAX).map((each) => (
                <tr key={each.id}>
                  <td>
                    <strong>{each.id}</strong> <span class="muted">{each.name}</span>
                  </td>
                  <td>{each.agent}</td>
                  <td>
                    <a href={withParams({ node: each.node })}>{each.node}</a>
                  </td>
                  <td>{each.version}</td>
                  <td>
                    <Verdict kind={each.status === 'active' ? 'checked' : 'unchecked'} word={each.status} />
                  </td>
                  <td>{each.skill}</td>
                  <td class="right">{each.eta}</td>
                  <td class="right">{each.eligible}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Rest total={capabilities.length} shown={ROWS_MAX} command="baton capability list" />
        </div>
      )}
    </section>
  );
}

function Rest({ total, shown, command }: { readonly total: number; readonly shown: number; readonly command: string }) {
  if (total <= shown) return null;
  return (
    <p class="muted">
      {total - shown} more: <code>{command}</code>
    </p>
  );
}
