import type { NodeIncidentView, NodeStatusAnswer } from '../../../src/api/federation/federation-contract.ts';
import { ActionNote, useAction } from '../../parts/action.tsx';
import { useCalmList } from '../../parts/calm-list.ts';
import { shortened } from '../../parts/format.ts';
import { withParams } from '../../parts/route.ts';
import { Row } from '../../parts/rows.tsx';
import { Ago } from '../../parts/time.tsx';
import { Shape } from '../../parts/verdict.tsx';
import { type Deed, DeedButtons, deedsOf } from './incident-deeds.tsx';

const DETAIL_CHARACTERS_MAX = 600;

/** Everything about other nodes that only a person can settle, with the buttons that do it. */
export function NodeIncidents({
  status,
  refresh,
}: {
  readonly status: NodeStatusAnswer;
  readonly refresh: () => void;
}) {
  const { shown, watch } = useCalmList(status.incidents);
  if (shown.length === 0) return <p class="empty good">Nothing about other nodes needs you.</p>;
  return (
    <section aria-labelledby="needs" {...watch}>
      <header class="section">
        <h2 id="needs">
          Needs you <span class="count">{status.incidents.length}</span>
        </h2>
        <a href="/events?type=incident.*">All incidents in the log</a>
      </header>
      <ul class="rows node-incidents">
        {shown.map(({ item, isGone }) => (
          <IncidentRow key={item.id} incident={item} isGone={isGone} status={status} refresh={refresh} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly incident: NodeIncidentView;
  readonly isGone: boolean;
  readonly status: NodeStatusAnswer;
  readonly refresh: () => void;
}

function IncidentRow({ incident, isGone, status, refresh }: RowProps) {
  const { id, title, detail, node, openedAt } = incident;
  const action = useAction(id);
  const isOver = isGone || action.state.value.kind === 'done';
  const deeds = deedsOf(incident, status, action);
  const [main, back] = deeds;
  const run = (deed: Deed) => () => void deed.run().then(refresh);
  return (
    <Row
      id={id}
      {...(node !== null && { href: withParams({ node }) })}
      keys={{ ...(main && { a: run(main) }), ...(back && { r: run(back) }) }}
      class={`needs ${isOver ? 'over' : ''}`}
    >
      <div class="incident-line">
        <Shape kind="needs-you" />{' '}
        <strong>{node === null ? title : <a href={withParams({ node })}>{shortened(title, 120)}</a>}</strong>
        <Ago at={openedAt} />
      </div>
      <div class="incident-second">
        <span class="why" title={detail.slice(0, DETAIL_CHARACTERS_MAX)}>
          {shortened(detail, DETAIL_CHARACTERS_MAX)}
        </span>
        <span class="buttons">
          <ActionNote action={action} />
          {isGone && action.state.value.kind === 'idle' && <span class="note done">settled elsewhere</span>}
          {!isOver && <DeedButtons deeds={deeds} action={action} refresh={refresh} />}
        </span>
      </div>
    </Row>
  );
}
