// A node in a process of its own, for as long as its parent lives: bench/federation.ts starts it.
import { createPrivateKey } from 'node:crypto';
import { BenchNode, type OtherNode } from './bench-node.ts';

process.once('message', (given) => {
  const { name, url, folder, keys } = given as OtherNode;
  const all = keys.map(([node, { own, exchange }]) => [node, { own: createPrivateKey(own), exchange }] as const);
  const node = new BenchNode(name, { url, folder, keys: new Map(all) });
  void node.start().then(() => process.send?.('started'));
  process.once('message', () => void node.stop().then(() => process.disconnect()));
});
