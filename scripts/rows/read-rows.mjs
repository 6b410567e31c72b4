// The rows of docs/protocols/ that tests hold, each with those tests and the mutation in test/rows/ that breaks it.
import { parse } from 'yaml';
import { rulesOf } from '../../test/house/markdown.ts';
import { readText } from '../../test/house/source-file.ts';

export const PROTOCOLS = ['aop', 'afp', 'aof', 'saop', 'runtime'];

/** @typedef {{ row: string, file: string, from: string, to: string }} Mutation */
/** @typedef {{ file: string, name: string }} Holder */
/** @typedef {{ mutations: Mutation[] }} MutationFile */
/** @typedef {{ id: string, sentence: string, state: string, holders: Holder[], mutation: Mutation | undefined }} Row */
/** @typedef {(path: string) => string | undefined} Read */

/** @param {string} protocol */
export const pageOf = (protocol) => `docs/protocols/${protocol}.md`;
/** @param {string} protocol */
export const mutationsOf = (protocol) => `test/rows/${protocol}.yaml`;

/** @param {string} text @returns {MutationFile} */
export function readMutations(text) {
  return { mutations: parse(text)?.mutations ?? [] };
}

/** @param {string} protocol @param {Read} read @returns {Row[]} */
export function rowsOf(protocol, read) {
  const { mutations } = readMutations(read(mutationsOf(protocol)) ?? '');
  const byRow = new Map(mutations.map((mutation) => [mutation.row, mutation]));
  return rulesOf(read(pageOf(protocol)) ?? '').rules.flatMap(({ id, sentence, states: [state = ''] }) => {
    if (!state.startsWith('held by ')) return [];
    const holders = [...state.matchAll(/`([^`]+)` › `([^`]+)`/g)].map(([, file = '', name = '']) => ({ file, name }));
    return [{ id, sentence, state, holders, mutation: byRow.get(id) }];
  });
}

/** @param {Read} read */
export function readRows(read = readText) {
  return PROTOCOLS.flatMap((protocol) => rowsOf(protocol, read));
}
