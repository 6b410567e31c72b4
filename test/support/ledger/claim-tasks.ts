// A program: claims each task it is told of, a line each, as the agent given, opening and closing the node every time.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { openNode } from '../../../src/node.ts';

const [folder = '', agent = ''] = process.argv.slice(2);

function onFatal(fault: Error): never {
  throw fault;
}

writeSync(1, 'ready\n');
for await (const task of createInterface({ input: process.stdin })) {
  const node = await openNode({ dataFolder: folder, onFatal });
  const answer = await node.claimTask({ task, agent, run: null });
  await node.close();
  writeSync(1, `${isRefusal(answer) ? answer.code : 'won'}\n`);
}
