import { call } from '../../../node/call-node.ts';
import { useResource } from '../../../node/resource.ts';
import { ActionButton, ActionNote, useAction } from '../../../parts/action.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { ReviewCard } from '../../feedback/review-card.tsx';
import { canBeReviewed, reviewDeed } from '../review-deed.ts';
import type { ShownTask } from '../task-page.tsx';
import type { PanelProps } from './evidence-pane.tsx';

/** The reviews of the work: by whom, in which rounds, and what became of each finding. */
export default function ReviewsPanel({ shown }: PanelProps) {
  const { task } = shown;
  const reviews = useResource(
    `reviews-${task.id}-${task.revision}`,
    () => call('listFeedback', { task: task.id }),
    ({ taskId, type }) => taskId === task.id && /^(feedback|review|order|task)\./.test(type),
  );
  return (
    <Loaded of={reviews} what="The reviews">
      {({ feedbacks }) => (
        <div class="reviews">
          <AskReview shown={shown} isFirst={feedbacks.length === 0} onAsked={() => void reviews.refresh()} />
          {feedbacks.map((review) => (
            <ReviewCard key={review.feedback} review={review} onChanged={() => void reviews.refresh()} />
          ))}
        </div>
      )}
    </Loaded>
  );
}

interface AskProps {
  readonly shown: ShownTask;
  readonly isFirst: boolean;
  readonly onAsked: () => void;
}

function AskReview({ shown, isFirst, onAsked }: AskProps) {
  const action = useAction(shown.task.id);
  const ask = async () => {
    const work = await reviewDeed(shown);
    if (work !== null && (await action.run(work))) onAsked();
  };
  return (
    <p class="reviews-head">
      {isFirst && <span class="muted">No agent has reviewed this work.</span>}
      <ActionNote action={action} />
      {canBeReviewed(shown) && (
        <ActionButton action={action} onPress={() => void ask()}>
          Ask for a review…
        </ActionButton>
      )}
    </p>
  );
}
