import type { JsonObject } from '../domain/words/json-object.ts';

// Plain text to every reader of YAML: it starts with a letter and has neither an indicator nor an
// ending that would be trimmed.
const PLAIN_TEXT = /^[A-Za-z](?:[\w ./@+()'"=;,-]|:(?=[^\s])|[\u00a1-\u024f])*$/;
/** In the core schema, and in older readers that people may use on the tree. */
const NOT_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const PLAIN_INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d{3}Z)?$/;
const PLAIN_KEY = /^[A-Za-z][\w-]*$/;
/** Characters that YAML calls unprintable or a line break, beyond those that JSON escapes. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** YAML limits a single-line key to 1024 characters. */
const SHORT_KEY_CHARACTERS_MAX = 1_000;
const INDENT = '  ';

/**
 * Writes block style, with keys in the given order and text on one line, quoted where it could be misread. The
 * `yaml` package writes the same at a thirtieth of the speed, and the tree has a file for every change of every task.
 */
export function writeYaml(value: Readonly<JsonObject>): string {
  const isEmpty = Object.values(value).every((member) => member === undefined);
  return isEmpty ? '{}\n' : writeObject(value, '');
}

function writeObject(object: Readonly<JsonObject>, indent: string): string {
  let out = '';
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    out += `${out === '' ? '' : indent}${writeKey(key, indent)}${writeMember(value, indent)}`;
  }
  return out;
}

function writeKey(key: string, indent: string): string {
  const text = PLAIN_KEY.test(key) && !NOT_TEXT.test(key) ? key : quote(key);
  return text.length > SHORT_KEY_CHARACTERS_MAX ? `? ${text}\n${indent}:` : `${text}:`;
}

/** The text after `key:`, with its line break. */
function writeMember(value: unknown, indent: string): string {
  const inner = indent + INDENT;
  if (isFilled(value)) return `\n${inner}${writeFilled(value, inner)}`;
  return ` ${writeLeaf(value)}\n`;
}

/** An item follows its dash; its further lines align with its first character. */
function writeItem(value: unknown, indent: string): string {
  return isFilled(value) ? writeFilled(value, indent + INDENT) : `${writeLeaf(value)}\n`;
}

function writeFilled(value: object, indent: string): string {
  if (!Array.isArray(value)) return writeObject(value as JsonObject, indent);
  return value.map((item) => `- ${writeItem(item, indent)}`).join(indent);
}

function isFilled(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length > 0 : Object.values(value).some((member) => member !== undefined);
}

function writeLeaf(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : quote(value);
  if (Array.isArray(value)) return '[]';
  return typeof value === 'object' && value !== null ? '{}' : (JSON.stringify(value) ?? 'null');
}

function isPlain(text: string): boolean {
  if (PLAIN_INSTANT.test(text)) return true;
  return PLAIN_TEXT.test(text) && !text.endsWith(' ') && !NOT_TEXT.test(text);
}

function quote(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
