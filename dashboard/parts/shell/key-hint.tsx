/** The key that does what the control around it does; readers of the screen get the control alone. */
export function KeyHint({ of }: { readonly of: string }) {
  return (
    <span class="key-hint" aria-hidden="true">
      {of}
    </span>
  );
}
