import { useState } from 'preact/hooks';
import { announce } from './announce.tsx';

/** A command for the terminal that can be copied. */
export function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    announce('copied');
  };
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" class="button plain small" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
