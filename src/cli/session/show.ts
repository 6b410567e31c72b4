import { answerOfCall } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import { type Call, flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { sessionWords } from './read-session-request.ts';
import { GRAPH_FORMATS, type GraphFormat, sessionGraphText } from './session-graph-text.ts';
import { sessionText } from './session-text.ts';

export const sessionShowCommand = nodeCommand({
  usage: 'baton session show SESSION [--graph mermaid|dot] [--json]',
  about:
    'Shows a session: its tasks, their states, what they wait for, and the cost. SESSION is its id, words of its id or name, or @ for the newest.',
  examples: ['baton session show @', 'baton session show night --json', 'baton session show @ --graph mermaid'],
  flags: { graph: { takes: 'value', shows: 'FORMAT', help: 'print the graph of its tasks: mermaid or dot' } },
  plan(call) {
    const session = sessionWords(call, 'show');
    const format = formatOf(call);
    return async (client) =>
      answerOfCall(await client.showSession({ session }), {
        say: (view, style) =>
          format === null ? sessionText(view, style, folderFlagOf(call)) : sessionGraphText(view.tasks, format),
        next: ({ session_id: id, is_interrupted: isInterrupted }) =>
          isInterrupted && format === null
            ? `no node runs it\nnext: baton session continue ${id}${folderFlagOf(call)}  continue it`
            : null,
      });
  },
});

function formatOf(call: Call): GraphFormat | null {
  const given = flagText(call, 'graph');
  if (given === undefined) return null;
  const format = GRAPH_FORMATS.find((each) => each === given);
  if (format) return format;
  throw new UsageError(`--graph: ${JSON.stringify(given)} is neither mermaid nor dot`, '--graph mermaid');
}
