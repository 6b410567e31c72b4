/** A part of a text between two ends. */
export interface Word {
  readonly from: number;
  readonly to: number;
}

/** White space, quotes, angle brackets and backslashes end a word. */
export const END = 1;
export const LETTER = 2;
export const DIGIT = 4;
/** Other characters of base64, base64url and paths. */
export const IN_RUN = 8;
/** Other characters of a value behind the name of a secret. */
export const IN_VALUE = 16;
export const CLASSES = new Uint8Array(128);
for (let code = 0; code <= 32; code++) CLASSES[code] = END;
for (const character of '"\'`<>\\\u007f') CLASSES[character.charCodeAt(0)] = END;
for (const character of '.~!@#$%^&*:') CLASSES[character.charCodeAt(0)] = IN_VALUE;
for (const character of '+/_=-') CLASSES[character.charCodeAt(0)] = IN_RUN | IN_VALUE;
for (let code = 48; code <= 57; code++) CLASSES[code] = DIGIT;
for (let code = 65; code <= 90; code++) CLASSES[code] = CLASSES[code + 32] = LETTER;
