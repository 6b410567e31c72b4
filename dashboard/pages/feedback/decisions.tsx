import { useState } from 'preact/hooks';
import type { FeedbackLine } from '../../../src/api/review/feedback-contract.ts';
import { decideFindings, type FindingDecision } from '../../node/feedback-actions.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { askText } from '../../parts/ask.tsx';
import { counted } from '../../parts/format.ts';
import { FindingRow } from './finding-row.tsx';

type Drafts = Readonly<Record<string, FindingDecision>>;

/** A person decides on each finding; those without a decision stay open. */
export function Decisions({ review, onChanged }: { readonly review: FeedbackLine; readonly onChanged: () => void }) {
  const { feedback, items, undecided, fixTask, fixer } = review;
  const round = review.rounds.length;
  const action = useAction(`${feedback}-${round}`);
  const [drafts, setDrafts] = useState<Drafts>({});
  const asked = items.filter(({ id }) => undecided.includes(id));
  const others = items.filter(({ id }) => !undecided.includes(id));
  const given = asked.flatMap(({ id }) => drafts[id] ?? []);
  const send = async () => {
    if (await action.run(() => decideFindings(feedback, round, given))) onChanged();
  };
  const next = fixer === null ? 'Change the artifact yourself, then send: the reviewers are asked again.' : null;
  return (
    <>
      <ul class="findings">
        {asked.map((item) => (
          <FindingRow key={item.id} item={item} task={fixTask}>
            <Choice
              title={item.aspect}
              draft={drafts[item.id] ?? null}
              onChoose={(decision) => setDrafts({ ...drafts, [item.id]: { id: item.id, ...decision } })}
            />
          </FindingRow>
        ))}
        {others.map((item) => (
          <FindingRow key={item.id} item={item} task={fixTask} />
        ))}
      </ul>
      <footer class="decide">
        {next !== null && <span class="muted">{next}</span>}
        <ActionNote action={action} />
        <ActionButton action={action} kind="main" onPress={() => void send()}>
          {given.length === 0 ? 'Leave all open' : `Send ${counted(given.length, 'decision')}`}
        </ActionButton>
      </footer>
    </>
  );
}

type Chosen = Omit<FindingDecision, 'id'>;

interface ChoiceProps {
  readonly title: string;
  readonly draft: Chosen | null;
  readonly onChoose: (decision: Chosen) => void;
}

function Choice({ title, draft, onChoose }: ChoiceProps) {
  const explained = async (status: 'rejected' | 'partial', label: string) => {
    const explanation = await askText({ title, label, submit: 'Keep', isOptional: true });
    if (explanation !== null) onChoose({ status, ...(explanation !== '' && { explanation }) });
  };
  const button = (status: Chosen['status'], word: string, press: () => void) => (
    <button
      type="button"
      class={`button small ${draft?.status === status ? 'main' : 'plain'}`}
      aria-pressed={draft?.status === status}
      onClick={press}
    >
      {word}
    </button>
  );
  return (
    <span class="buttons">
      {button('accepted', 'Accept', () => onChoose({ status: 'accepted' }))}
      {button('rejected', 'Reject…', () => void explained('rejected', 'Why not? (optional)'))}
      {button('partial', 'In part…', () => void explained('partial', 'Which part? (optional)'))}
      {draft?.explanation !== undefined && <span class="muted">{draft.explanation}</span>}
    </span>
  );
}
