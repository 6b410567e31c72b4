import { installCommand, type Vendor } from '../../agents/vendors.ts';
import type { AgentView } from '../../api/contract.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';

/** One line with its state, its columns as wide as those of all agents need, and one with its abilities. */
export function agentText(agent: AgentView, all: readonly AgentView[], style: Style): string {
  const cell = (about: (each: AgentView) => string) =>
    visible(about(agent)).padEnd(Math.max(...all.map((each) => visible(about(each)).length)));
  const state = agent.reason === null ? style.good('ready') : style.open(visible(agent.reason));
  const chosen = agent.isDefault ? style.faint('  (default)') : '';
  const name = cell(({ name }) => name);
  const line = `${style.strong(name)}  ${cell(programText)}  ${cell(({ model }) => model)}  ${state}${chosen}`;
  return agent.ready ? `${line}\n${style.faint(`${' '.repeat(name.length)}  ${abilities(agent)}`)}` : line;
}

function programText({ driver, version }: AgentView): string {
  return version === null ? driver : `${driver} ${version}`;
}

const LOGIN = { true: 'logged in', false: 'not logged in: free models only' };
const USAGE = { live: 'cost live', end: 'cost at the end', none: 'no cost' };

function abilities({ loggedIn, sandboxed, can }: AgentView): string {
  return [
    loggedIn === null ? null : LOGIN[`${loggedIn}`],
    sandboxed ? 'sandboxed' : 'not sandboxed',
    can.say ? 'hears you while it works' : null,
    can.resume ? 'resumes' : null,
    can.askPermission ? 'asks' : null,
    USAGE[can.usage],
    can.thoughts ? 'thoughts' : null,
  ]
    .filter((word) => word !== null)
    .join(' · ');
}

/** The command that installs each vendor that is not here. */
export function installText(vendors: readonly Vendor[]): string {
  const width = Math.max(...vendors.map(({ title }) => title.length));
  return ['not installed:', ...vendors.map((each) => `  ${each.title.padEnd(width)}  ${installCommand(each)}`)].join(
    '\n',
  );
}

/** Vendors that the shell finds and the running node does not: it was started with another PATH. */
export function notSeenText(vendors: readonly Vendor[]): string | null {
  if (vendors.length === 0) return null;
  const names = vendors.map(({ program }) => program).join(', ');
  return `the running node does not see ${names}: its PATH is another\ntry: baton down && baton up -d, from this shell`;
}
