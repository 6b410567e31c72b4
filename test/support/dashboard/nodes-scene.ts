import type { SharedNodes } from '../federation/shared-nodes.ts';

const NAMES = ['atlas', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'haven', 'iris', 'juniper'];
const MORE = ['kite', 'lumen', 'maple', 'nova', 'onyx', 'pine', 'quartz', 'raven', 'sage'];

/** Nineteen further nodes: most are alive, one is dead, one has left, one offers a crowd of agents. */
export async function presentMany(shared: SharedNodes): Promise<void> {
  const names = [...NAMES, ...MORE];
  for (const [at, name] of names.entries()) {
    const status = name === 'fjord' ? 'dead' : name === 'quartz' ? 'left' : 'active';
    await shared.present(name, { status, seq: 10 + at });
  }
}

/** Settings of a node that accepts only nodes that a person has trusted. */
export function listedFederation(shared: SharedNodes, node: string): object {
  return { federation: { transport: 'local', folder: shared.folder, node, trust: 'listed' } };
}
