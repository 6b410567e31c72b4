import '../../style/reviews.css';
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { AgentState } from '../../../src/api/overview/overview-contract.ts';
import type { AskedReview } from '../../node/feedback-actions.ts';
import { Dialog } from '../../parts/dialog.tsx';

interface Asked {
  readonly title: string;
  readonly author: string | null;
  /** Those that may review it. */
  readonly agents: readonly AgentState[];
}

interface Open extends Asked {
  resolve(asked: AskedReview | null): void;
}

const open = signal<Open | null>(null);

/** Asks who reviews, and who deals with the findings; null if the person thinks better of it. */
export function askReviewers(asked: Asked): Promise<AskedReview | null> {
  open.value?.resolve(null);
  return new Promise((resolve) => {
    open.value = { ...asked, resolve };
  });
}

/** The open question, on top of the page. */
export function ReviewersDialog() {
  const asked = open.value;
  return asked === null ? null : <ReviewersForm key={asked.title} asked={asked} />;
}

const ROUNDS = ['1', '2', '3', '5'];

function ReviewersForm({ asked }: { readonly asked: Open }) {
  const { title, author, agents, resolve } = asked;
  const [from, setFrom] = useState<readonly string[]>([]);
  const [deals, setDeals] = useState<AskedReview['deals']>(author === null ? 'nobody' : 'author');
  const [rounds, setRounds] = useState('3');
  const [ask, setAsk] = useState('');
  const close = (answer: AskedReview | null) => {
    if (open.value === asked) open.value = null;
    resolve(answer);
  };
  const submit = () => {
    if (from.length > 0) close({ from, deals, author, rounds: Number(rounds), ask: ask.trim() });
  };
  return (
    <Dialog title={`Ask for a review: ${title}`} onClose={() => close(null)}>
      <form
        class="ask"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Reviewers agents={agents} from={from} onChange={setFrom} />
        {author !== null && <Dealing author={author} deals={deals} onChange={setDeals} />}
        {deals !== 'nobody' && (
          <label class="field">
            <span>How often they are asked at most</span>
            <select value={rounds} onChange={({ currentTarget }) => setRounds(currentTarget.value)}>
              {ROUNDS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
        <label class="field">
          <span>A question for them (optional)</span>
          <textarea rows={2} value={ask} onInput={({ currentTarget }) => setAsk(currentTarget.value)} />
        </label>
        <footer>
          <button type="button" class="button plain" onClick={() => close(null)}>
            Cancel
          </button>
          <button type="submit" class="button main" disabled={from.length === 0}>
            Ask
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface ReviewersProps {
  readonly agents: readonly AgentState[];
  readonly from: readonly string[];
  readonly onChange: (from: readonly string[]) => void;
}

function Reviewers({ agents, from, onChange }: ReviewersProps) {
  if (agents.length === 0) {
    return <p class="muted">No other agent is ready: baton agents says why. Nobody reviews its own work.</p>;
  }
  return (
    <fieldset class="choices">
      <legend>Who reviews it: they read, and change nothing</legend>
      {agents.map(({ name, driver, model, outUntil }) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={from.includes(name)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...from, name] : from.filter((each) => each !== name))
            }
          />{' '}
          {name} <span class="muted">{[driver === name ? '' : driver, model].filter(Boolean).join(', ')}</span>
          {outUntil !== null && <span class="warning"> out of quota</span>}
        </label>
      ))}
    </fieldset>
  );
}

interface DealingProps {
  readonly author: string;
  readonly deals: AskedReview['deals'];
  readonly onChange: (deals: AskedReview['deals']) => void;
}

function Dealing({ author, deals, onChange }: DealingProps) {
  const choices = [
    ['author', `${author} decides on each finding, and deals with it`],
    ['person', `I decide on each finding, and ${author} does what I accept`],
    ['nobody', 'Nobody: I only want to read them'],
  ] as const;
  return (
    <fieldset class="choices">
      <legend>Who deals with the findings</legend>
      {choices.map(([value, words]) => (
        <label key={value}>
          <input type="radio" name="deals" checked={deals === value} onChange={() => onChange(value)} /> {words}
        </label>
      ))}
    </fieldset>
  );
}
