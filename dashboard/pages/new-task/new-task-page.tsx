import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AgentList } from '../../../src/api/contract.ts';
import type { RequestOf } from '../../../src/api/node-client.ts';
import { call } from '../../node/call-node.ts';
import { overview } from '../../node/overview.ts';
import { useResource } from '../../node/resource.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { goTo } from '../../parts/route.ts';
import { Loaded } from '../../parts/states.tsx';
import { type Offer, PlanView } from './plan-view.tsx';
import { type Draft, EMPTY_DRAFT, orderOf } from './task-draft.ts';

/** A task for an agent: words, checks and bounds; the plan says what it would mean before anything starts. */
export default function NewTaskPage() {
  const agents = useResource('ready-agents', () => call('listAgents', {}));
  return (
    <div class="new-task">
      <header class="page-head">
        <h1>New task</h1>
      </header>
      <Loaded of={agents} what="The agents">
        {({ agents: found }) => <Form agents={found} />}
      </Loaded>
    </div>
  );
}

function Form({ agents }: { readonly agents: AgentList['agents'] }) {
  // The demo agent does no task but its own examples: it is a choice, never the usual one.
  const usual =
    agents.find(({ isDefault, ready }) => isDefault && ready) ??
    agents.find(({ ready, driver }) => ready && driver !== 'demo');
  const draft = useSignal<Draft>({ ...EMPTY_DRAFT, agent: usual?.name ?? '' });
  const offer = useSignal<Offer | null>(null);
  const isAllowed = useSignal(false);
  const action = useAction('new-task');
  const words = useRef<HTMLTextAreaElement>(null);
  useEffect(() => words.current?.focus(), []);
  const workspace = overview.value.value?.workspace ?? '';
  const set = (values: Partial<Draft>) => {
    draft.value = { ...draft.value, ...values };
  };
  const run = () =>
    void action.run(() => runIt({ ...orderOf(draft.value, workspace), ...answersTo(offer.value, isAllowed.value) }));
  const keep = () => void action.run(() => writeDown(draft.value.text));
  const isEmpty = draft.value.text.trim() === '';
  return (
    <form
      class="new-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) run();
      }}
    >
      <Fields draft={draft.value} set={set} agents={agents} words={words} />
      <div class="plan-side">
        <PlanView
          draft={draft.value}
          workspace={workspace}
          onCheck={(check) => set({ checks: joined(draft.value.checks, check) })}
          onOffer={(found) => {
            offer.value = found;
            isAllowed.value = false;
          }}
          isAllowed={isAllowed.value}
          onAllow={(isYes) => {
            isAllowed.value = isYes;
          }}
        />
        <div class="buttons">
          <ActionButton action={action} onPress={() => !isEmpty && run()} kind="main">
            Run it
          </ActionButton>
          <ActionButton action={action} onPress={() => !isEmpty && keep()}>
            Only write it down
          </ActionButton>
          <ActionNote action={action} />
        </div>
      </div>
    </form>
  );
}

async function runIt(order: RequestOf<'submitOrder'>): Promise<string> {
  const { task } = await call('submitOrder', order);
  goTo(`/tasks/${task.id}`);
  return `${task.id} starts`;
}

/** The plan that was shown, and the leave that it needed. */
function answersTo(offer: Offer | null, isAllowed: boolean) {
  return { ...(offer !== null && { offer: offer.id }), ...(isAllowed && offer?.needs?.yes) };
}

async function writeDown(text: string): Promise<string> {
  const [title = '', ...rest] = text.trim().split('\n');
  const task = await call('createTask', { title: title.slice(0, 200), body: rest.join('\n').trim() || text.trim() });
  goTo(`/tasks/${task.id}`);
  return `${task.id} is in the backlog`;
}

interface FieldsProps {
  readonly draft: Draft;
  readonly set: (values: Partial<Draft>) => void;
  readonly agents: AgentList['agents'];
  readonly words: { readonly current: HTMLTextAreaElement | null };
}

function Fields({ draft, set, agents, words }: FieldsProps) {
  return (
    <div class="fields">
      <label class="field">
        <span>What is to be done</span>
        <textarea
          ref={words as never}
          rows={8}
          value={draft.text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      </label>
      <AgentField draft={draft} set={set} agents={agents} />
      <label class="field">
        <span>Checks, one a line: commands that must pass afterwards</span>
        <textarea
          class="mono"
          rows={3}
          placeholder="npm test"
          value={draft.checks}
          onInput={({ currentTarget }) => set({ checks: currentTarget.value })}
        />
      </label>
      <div class="field-row">
        <Amount
          label="Cap in US dollars"
          usual="none"
          value={draft.budgetUsd}
          step="0.5"
          onInput={(budgetUsd) => set({ budgetUsd })}
        />
        <Amount
          label="At most minutes"
          usual="30"
          value={draft.minutes}
          step="1"
          onInput={(minutes) => set({ minutes })}
        />
        <Amount label="Retries" usual="1" value={draft.retries} step="1" onInput={(retries) => set({ retries })} />
      </div>
      <Choice
        label="In a worktree of its own, to be applied later"
        isOn={draft.isWorktree}
        onChange={(isWorktree) => set({ isWorktree })}
      />
      <Choice
        label="I review it before it is done"
        isOn={draft.isReviewed}
        onChange={(isReviewed) => set({ isReviewed })}
      />
    </div>
  );
}

function AgentField({ draft, set, agents }: Pick<FieldsProps, 'draft' | 'set' | 'agents'>) {
  return (
    <label class="field">
      <span>Agent</span>
      <select value={draft.agent} onChange={({ currentTarget }) => set({ agent: currentTarget.value })}>
        {draft.agent === '' && <option value="">choose one</option>}
        {agents.map(({ name, model, ready, reason }) => (
          <option key={name} value={name} disabled={!ready}>
            {name} {model !== name ? `(${model})` : ''} {ready ? '' : `not ready: ${reason ?? ''}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Choice(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="check-field">
      <input
        type="checkbox"
        checked={props.isOn}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}

interface AmountProps {
  readonly label: string;
  /** Counts where the field is empty, unless the configuration says otherwise. */
  readonly usual: string;
  readonly value: string;
  readonly step: string;
  readonly onInput: (value: string) => void;
}

function Amount(props: AmountProps) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type="number"
        min="0"
        placeholder={props.usual}
        step={props.step}
        value={props.value}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
      />
    </label>
  );
}

function joined(checks: string, more: string): string {
  return [...checks.split('\n').filter((line) => line.trim() !== ''), more].join('\n');
}
