// A whole external agent: it takes each task that is routed to it, reports, and leaves the verdict to a person.
import { connectExternalAgent, isRefusal } from 'baton-agents';

const [identity = '', url = '', invite = ''] = process.argv.slice(2);
const agent = await connectExternalAgent({ identity, url, invite });
if (isRefusal(agent)) throw new Error(agent.message);
const page = await agent.tasks();
for (const { id, title } of isRefusal(page) ? [] : page.tasks) {
  const held = await agent.claim(id);
  if (isRefusal(held)) continue;
  await agent.update(id, { progress: `counting the letters of "${title}"` });
  await agent.complete(id, { run: held.run.id, outcome: 'done', notes: `${title.length} letters` });
}
