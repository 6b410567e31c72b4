import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../node/node-error.ts';
import type { Resource } from '../node/resource.ts';

const SKELETON_MS = 300;

/** Shapes of what will be there, but only if it takes a moment. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), SKELETON_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div class="skeleton" role="status" aria-label="loading">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} />
      ))}
    </div>
  );
}

/** Says what failed, why, and what to do. */
export function Failed({ error, what, onRetry }: { error: unknown; what: string; onRetry?: () => void }) {
  const { message, hint } = wordsOf(error);
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{what} could not be shown:</strong> {message}
      </p>
      {hint !== null && <p class="muted">{hint}</p>}
      {onRetry && (
        <button type="button" class="button plain" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface LoadedProps<Value> {
  readonly of: Resource<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** The value of a resource once it is there. What was there stays, while a later read fails: the bar says so. */
export function Loaded<Value>({ of, what, children }: LoadedProps<Value>) {
  const value = of.value.value;
  if (value !== null) return <>{children(value)}</>;
  if (of.error.value !== null) {
    return <Failed error={of.error.value} what={what} onRetry={() => void of.refresh()} />;
  }
  return <Skeleton />;
}
