import type { ComponentType } from 'preact';
import { Suspense } from 'preact/compat';
import type { Evidence } from '../../../../src/api/order/order-contract.ts';
import { call } from '../../../node/call-node.ts';
import { type Resource, useResource } from '../../../node/resource.ts';
import { lazyPart } from '../../../parts/lazy-part.ts';
import { isNarrow } from '../../../parts/narrow.ts';
import { param, withParams } from '../../../parts/route.ts';
import { Skeleton } from '../../../parts/states.tsx';
import type { ShownTask } from '../task-page.tsx';
import { AboutPanel } from './about-panel.tsx';
import { ChecksPanel } from './checks-panel.tsx';
import { commentsOf } from './line-comments.ts';
import { ReceiptPanel } from './receipt-panel.tsx';

export interface PanelProps {
  readonly shown: ShownTask;
  readonly evidence: Resource<Evidence>;
}

interface Panel {
  readonly name: string;
  readonly title: string;
  readonly panel: ComponentType<PanelProps>;
}

const PANELS: readonly Panel[] = [
  { name: 'diff', title: 'Diff', panel: lazyPart(() => import('./diff/diff-panel.tsx')) },
  { name: 'checks', title: 'Checks', panel: ChecksPanel },
  { name: 'reviews', title: 'Reviews', panel: lazyPart(() => import('./reviews-panel.tsx')) },
  { name: 'receipt', title: 'Receipt', panel: ReceiptPanel },
  { name: 'cost', title: 'Cost', panel: lazyPart(() => import('./cost-panel.tsx')) },
  { name: 'raw', title: 'Raw', panel: lazyPart(() => import('./raw-panel.tsx')) },
  { name: 'about', title: 'Task', panel: AboutPanel },
];

/** Everything that the verdict is made of, one tab each; the address says which. */
export function EvidencePane({ shown }: { readonly shown: ShownTask }) {
  const { task, report } = shown;
  const evidence = useResource(`evidence-${task.id}-${task.revision}-${report?.isOver}`, () =>
    call('readEvidence', { task: task.id }),
  );
  const usual = report === null ? 'about' : report.failures.length > 0 ? 'checks' : 'diff';
  const chosen = PANELS.find(({ name }) => name === param('show')) ?? PANELS.find(({ name }) => name === usual);
  const Shown = chosen?.panel ?? AboutPanel;
  const comments = commentsOf(task.id).value.length;
  return (
    <section class="evidence" aria-label="Evidence">
      <nav class="pane-head tabs" aria-label="Evidence">
        <a class="story-tab" href={withParams({ show: 'story' })} aria-current={isStory() ? 'page' : undefined}>
          Story
        </a>
        {PANELS.map(({ name, title }) => (
          <a
            key={name}
            href={withParams({ show: name, file: '' })}
            aria-current={name === chosen?.name && !isStory() ? 'page' : undefined}
          >
            {title}
            {name === 'diff' && comments > 0 && <span class="count needs"> {comments}</span>}
          </a>
        ))}
      </nav>
      <section
        class="panel-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={chosen?.title ?? ''}
      >
        <Suspense fallback={<Skeleton />}>
          <Shown shown={shown} evidence={evidence} />
        </Suspense>
      </section>
    </section>
  );
}

/** The story is a tab where there is no room beside it. */
function isStory(): boolean {
  return isNarrow.value && (param('show') || 'story') === 'story';
}
