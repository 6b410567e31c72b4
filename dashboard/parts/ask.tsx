import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

interface Asked {
  readonly title: string;
  /** The purpose of the text; absent, none is asked for. */
  readonly label?: string;
  /** The word on the button. */
  readonly submit: string;
  readonly body?: ComponentChildren;
  readonly isDanger?: boolean;
  readonly isOptional?: boolean;
}

interface Open extends Asked {
  resolve(text: string | null): void;
}

const open = signal<Open | null>(null);

/** Asks for a text; null if the person thinks better of it. */
export function askText(asked: Asked & { readonly label: string }): Promise<string | null> {
  return ask(asked);
}

/** Asks whether to continue. */
export async function askSure(asked: Omit<Asked, 'label'>): Promise<boolean> {
  return (await ask(asked)) !== null;
}

function ask(asked: Asked): Promise<string | null> {
  open.value?.resolve(null);
  return new Promise((resolve) => {
    open.value = { ...asked, resolve };
  });
}

/** The open question, on top of the page. */
export function AskDialog() {
  const asked = open.value;
  if (!asked) return null;
  return <AskForm key={asked.title} asked={asked} />;
}

function AskForm({ asked }: { readonly asked: Open }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const close = (text: string | null) => {
    if (open.value === asked) open.value = null;
    asked.resolve(text);
  };
  const submit = () => {
    const text = field.current?.value.trim() ?? '';
    if (asked.label !== undefined && text === '' && !asked.isOptional) field.current?.focus();
    else close(text);
  };
  return (
    <Dialog title={asked.title} onClose={() => close(null)}>
      <form
        class="ask"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {asked.body}
        {asked.label !== undefined && (
          <label class="field">
            <span>{asked.label}</span>
            <textarea
              ref={field}
              rows={4}
              autofocus
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
              }}
            />
          </label>
        )}
        <footer>
          <button type="button" class="button plain" onClick={() => close(null)}>
            Cancel
          </button>
          <button type="submit" class={`button ${asked.isDanger ? 'danger' : 'main'}`}>
            {asked.submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
