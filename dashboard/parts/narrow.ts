import { signal } from '@preact/signals';

const query = matchMedia('(max-width: 1000px)');

/** Whether panes stand below each other: the same width as in the style sheets. */
export const isNarrow = signal(query.matches);
query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
