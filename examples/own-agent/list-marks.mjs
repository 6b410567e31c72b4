// An agent without a model: lists every line marked FIXME of a repository in MARKS.md. It speaks all of the wire.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// The TASK: one JSON document on standard input, then its end.
const order = JSON.parse(readFileSync(0, 'utf8'));
const about = { session_id: order.session.session_id, task_id: order.task.task_id };

/** One message a line. @param {object} message */
function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** How far it is; whatever is heard of an agent is also a sign of life. @param {number} percentage @param {string} message */
function progress(percentage, message) {
  const timestamp = new Date().toISOString();
  const head = { aop_version: '2.0.2-C', message_type: 'EVENT', event: 'PROGRESS_UPDATE' };
  say({ ...head, ...about, timestamp, progress: { percentage, message } });
}

// A later try is told what Baton found wrong with the one before.
const { failed = [] } = order.task.extensions?.x_baton ?? {};
for (const { command, output } of failed) console.log(`last time this failed: ${command}\n${output}`);

// The program starts in the workspace: paths are relative to it.
const files = readdirSync('.', { recursive: true, encoding: 'utf8' }).filter((path) => /^[^.].*\.(m?[jt]s|md)$/.test(path));
progress(50, `${files.length} files to read`);
const marks = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => (line.includes('FIXME') ? [`- ${file}:${at + 1} ${line.trim()}`] : [])),
);
writeFileSync('MARKS.md', `# To be fixed\n\n${marks.join('\n')}\n`);

// The answer. What it claims is kept beside what Baton finds out itself, and decides nothing.
const { agent_name: name, provider, model } = order.target;
say({
  aop_version: '2.0.2-C',
  schema_version: '2.0.2',
  protocol_family: 'AOP',
  message_type: 'RESPONSE',
  ...about,
  agent: { name, provider, model },
  task_status: { state: 'COMPLETED', final_signal: 'SUCCESS' },
  execution_summary: { summary: `${marks.length} lines are marked.`, actions: ['Wrote MARKS.md'] },
  cost_tracking: { actual_cost_usd: 0, tokens_input: 0, tokens_output: 0 },
});
