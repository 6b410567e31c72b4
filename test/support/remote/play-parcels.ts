import { holdFolder } from '../../../src/node/folder/folder-holder.ts';
import { startNode } from '../../../src/node.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { FolderBlobs } from './folder-blobs.ts';

/** `node play-parcels.ts packWork|unpackWork|packResult|importResult JSON`: one call in a process of its own, which a test may kill. */
const [verb = '', text = ''] = process.argv.slice(2);
const { dataFolder, blobs: folder, request } = JSON.parse(text);
const lock = await holdFolder(dataFolder, systemTimer());
const node = await startNode({ dataFolder, isBrief: true }, lock);
const parcels = await node.federation.parcels();
const call = parcels[verb as 'packWork'] as (asked: object) => Promise<unknown>;
const answer = await call({ ...request, blobs: new FolderBlobs(folder) });
await node.client.close();
process.stdout.write(JSON.stringify(answer));
