import { call } from '../../node/call-node.ts';
import { useResource } from '../../node/resource.ts';
import { numberOf } from '../../parts/format.ts';
import { Loaded } from '../../parts/states.tsx';
import type { PageProps } from '../page-table.tsx';
import { ReviewCard } from './review-card.tsx';

/** Feedback in rounds on a file, a text or the work of a task. */
export default function FeedbackPage({ name }: PageProps) {
  const shown = useResource(
    `feedback-${name}`,
    () => call('showFeedback', { feedback: name }),
    ({ sessionId, type }) => sessionId === name || type.startsWith('feedback.') || type.startsWith('order.'),
  );
  return (
    <Loaded of={shown} what={`Feedback ${name}`}>
      {(view) => (
        <div class="feedback-page">
          <h1>Feedback on {view.subject}</h1>
          {view.fixTask !== null && (
            <p>
              The changes are in <a href={`/tasks/${view.fixTask}`}>task {numberOf(view.fixTask)}</a>.
            </p>
          )}
          <ReviewCard review={view} onChanged={() => void shown.refresh()} />
        </div>
      )}
    </Loaded>
  );
}
