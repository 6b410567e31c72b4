import { Lexer, LineCounter, parseDocument } from 'yaml';
import { AOF_FRONT_MATTER_BYTES_MAX, AOF_FRONT_MATTER_TOKENS_MAX, JSON_DEPTH_MAX } from '../../domain/limits.ts';
import type { Issue, IssueDetail } from '../issue.ts';
import { isLargerThan } from '../text-size.ts';
import { plainValueOf } from './yaml-value.ts';

type YamlReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly issues: readonly Issue[] };

/** Reads YAML as the JSON it stands for, by the core schema, so that dates stay text. `what` it is, errors say. */
export function readYaml(text: string, what = 'front matter'): YamlReading {
  const refusal = tooCostly(text, what);
  if (refusal) return broken(refusal);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // Looked for in yaml-value.ts: the library compares every key with every other.
    uniqueKeys: false,
    prettyErrors: false,
    // Below this level a second document would be dropped without a word.
    logLevel: 'error',
    lineCounter,
  });
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') return broken(overLimit(what, JSON_DEPTH_MAX, 'levels of nesting'));
  if (error) {
    const { line } = lineCounter.linePos(error.pos[0]);
    return broken(notYaml(`${error.message}, in line ${line} of the ${what}`));
  }
  const issues: Issue[] = [];
  const value = plainValueOf(document, issues);
  return issues.length === 0 ? { kind: 'value', value } : { kind: 'broken', issues };
}

const GOOD_ESCAPE = /\\(?:[0abt\tnvfre "/\\N_LP\r\n]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8})/g;

/** The library goes on after an error and keeps every one, so what would make very many is refused before it. */
function tooCostly(text: string, what: string): IssueDetail | null {
  if (isLargerThan(text, AOF_FRONT_MATTER_BYTES_MAX)) return overLimit(what, AOF_FRONT_MATTER_BYTES_MAX, 'bytes');
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > AOF_FRONT_MATTER_TOKENS_MAX) return overLimit(what, AOF_FRONT_MATTER_TOKENS_MAX, 'tokens');
    if (token.startsWith('"') && token.replace(GOOD_ESCAPE, '').includes('\\')) {
      return notYaml('a quoted text has an unknown escape');
    }
  }
  return null;
}

function overLimit(what: string, max: number, unit: string): IssueDetail {
  return { kind: 'over-limit', what, max, unit };
}

function notYaml(detail: string): IssueDetail {
  return { kind: 'unreadable', what: 'YAML', detail };
}

function broken(detail: IssueDetail): YamlReading {
  return { kind: 'broken', issues: [{ path: [], ...detail }] };
}
