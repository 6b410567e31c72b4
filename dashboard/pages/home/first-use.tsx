import type { Overview } from '../../../src/api/overview/overview-contract.ts';
import { Command } from '../../parts/command.tsx';

/** Nothing is here yet: three ways to begin. */
export function FirstUse({ overview: { workspace, agents } }: { readonly overview: Overview }) {
  const agent = agents.find(({ isDefault }) => isDefault) ?? agents.find(({ driver }) => driver !== 'demo');
  const name = agent?.name ?? 'claude';
  return (
    <div class="first-use">
      <h1>Nothing has happened here yet</h1>
      <p class="muted">
        Baton hands tasks to coding agents in <code>{workspace}</code>, checks their work and shows it here.
      </p>
      <ol>
        <li>
          <h2>Give an agent a task</h2>
          <p>
            <a class="button main" href="/new">
              New task
            </a>
          </p>
        </li>
        <li>
          <h2>Or from the terminal</h2>
          <Command text={`baton run "add tests for src/money.ts" --agent ${name} --check "npm test"`} />
        </li>
        <li>
          <h2>Or try it without a model</h2>
          <Command text={'baton run "@demo write NOTES.md hello" --agent demo --check "grep hello NOTES.md"'} />
        </li>
      </ol>
    </div>
  );
}
