import type { ReceiptView } from '../../../../src/api/order/order-contract.ts';
import { Command } from '../../../parts/command.tsx';
import { counted, moneyText } from '../../../parts/format.ts';
import { Loaded } from '../../../parts/states.tsx';
import { Verdict, type VerdictKind } from '../../../parts/verdict.tsx';
import type { PanelProps } from './evidence-pane.tsx';

const SENTENCES: Readonly<Record<ReceiptView['verdict'], readonly [kind: VerdictKind, text: string]>> = {
  valid: ['checked', 'unchanged since it was signed by this node; the files still are as they were checked'],
  stale: ['stale', 'unchanged since it was signed, but files have changed since'],
  unknown_key: ['unchecked', 'unchanged since it was signed, by a key that this node does not know'],
  broken: ['failed', 'not as it was signed'],
};

/** The signed content, by which key, and whether it still holds. */
export function ReceiptPanel({ shown: { task, report }, evidence }: PanelProps) {
  if (report === null) return <p class="empty">No agent has worked on it.</p>;
  return (
    <Loaded of={evidence} what="The receipt">
      {({ receipt }) =>
        receipt === null ? (
          <p class="empty">
            {report.isOver ? 'There is no receipt: no agent was started.' : 'The receipt comes with the end.'}
          </p>
        ) : (
          <div class="receipt">
            <p>
              <Verdict kind={SENTENCES[receipt.verdict][0]} word={receipt.verdict.replace('_', ' ')} />{' '}
              {SENTENCES[receipt.verdict][1]}
              {receipt.reason !== null && `: ${receipt.reason}`}
            </p>
            {receipt.staleFiles.length > 0 && (
              <ul class="mono">
                {receipt.staleFiles.map((path) => (
                  <li key={path}>~ {path}</li>
                ))}
              </ul>
            )}
            {receipt.content !== null && <Content receipt={receipt} content={receipt.content} />}
            <Command text={`baton receipt verify ${task.id}`} />
          </div>
        )
      }
    </Loaded>
  );
}

type Fields = Readonly<Record<string, unknown>>;

function Content({ receipt, content }: { readonly receipt: ReceiptView; readonly content: Fields }) {
  const files = (Array.isArray(content.files) ? content.files : []) as readonly Fields[];
  const cost = (content.cost ?? {}) as { readonly usd?: number; readonly reported?: string };
  const rows: readonly (readonly [string, string])[] = [
    ['key', `${receipt.keyId ?? ''}${receipt.isOwnKey ? ' (this node)' : ''}`],
    ['run', String(content.run)],
    ['agent', [content.agent, content.provider, content.model].filter(Boolean).join(', ')],
    ['sandbox', content.isSandboxed ? `${content.sandbox}, network ${content.network}` : 'not sandboxed'],
    ['ended', String(content.endedAt)],
    ['cost', `${moneyText(cost.usd ?? 0)}, reported ${cost.reported ?? ''}`],
    ['before', String(content.commitBefore ?? 'no git')],
    ['after', String(content.commitAfter ?? 'no git')],
  ];
  return (
    <>
      <dl class="pairs">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </>
        ))}
      </dl>
      <h3>{counted(files.length, 'file')}, as they were checked</h3>
      <table class="mono">
        <thead>
          <tr>
            <th>File</th>
            <th>SHA-256</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, 500).map(({ path, sha256 }) => (
            <tr key={String(path)}>
              <td class={receipt.staleFiles.includes(String(path)) ? 'verdict stale' : ''}>{String(path)}</td>
              <td title={String(sha256)}>{sha256 === null ? 'gone' : `${String(sha256).slice(0, 16)}…`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>The whole receipt</summary>
        <pre class="whole">{JSON.stringify(content, null, 2)}</pre>
      </details>
    </>
  );
}
