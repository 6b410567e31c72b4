import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { wordsOf } from '../node/node-error.ts';
import { announce } from './announce.tsx';
import { KeyHint } from './shell/key-hint.tsx';

/** A change that a person asked for: pending until the ledger has answered, then what came of it. */
export type ActionState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string; readonly hint: string | null };

export interface Action {
  readonly state: { readonly value: ActionState };
  /** Ignored while one is under way. Resolves with whether it was done. */
  run(work: () => Promise<string>): Promise<boolean>;
}

export function makeAction(): Action {
  const state = signal<ActionState>({ kind: 'idle' });
  const run: Action['run'] = async (work) => {
    if (state.value.kind === 'pending') return false;
    state.value = { kind: 'pending' };
    try {
      const text = await work();
      state.value = { kind: 'done', text };
      announce(text);
      return true;
    } catch (error) {
      const { message, hint } = wordsOf(error);
      state.value = { kind: 'refused', text: message, hint };
      announce(`not done: ${message}`);
      return false;
    }
  };
  return { state, run };
}

/** The action of a component; `key` names its subject, so that another subject begins anew. */
export function useAction(key = ''): Action {
  return useMemo(makeAction, [key]);
}

interface ButtonProps {
  readonly action: Action;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
  readonly kind?: 'main' | 'plain' | 'danger';
  /** The key that does the same. */
  readonly hint?: string;
  readonly label?: string;
}

/** A button that cannot be pressed twice: all buttons of an action wait for its answer. */
export function ActionButton({ action, onPress, children, kind = 'plain', hint, label }: ButtonProps) {
  const isPending = action.state.value.kind === 'pending';
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-disabled={isPending}
      aria-label={label}
      onClick={() => {
        if (!isPending) onPress();
      }}
    >
      {children}
      {hint !== undefined && <KeyHint of={hint} />}
    </button>
  );
}

/** The answer, where the buttons are. */
export function ActionNote({ action }: { readonly action: Action }) {
  const state = action.state.value;
  if (state.kind === 'idle') return null;
  if (state.kind === 'pending') return <span class="note pending">asking the node…</span>;
  if (state.kind === 'done') return <span class="note done">{state.text}</span>;
  return (
    <span class="note refused" role="alert">
      not done: {state.text}
      {state.hint !== null && <span class="muted"> ({state.hint})</span>}
    </span>
  );
}
