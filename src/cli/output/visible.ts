/** What the terminal would take for an order, or for a change of direction, instead of text. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of others must not be able to write to the terminal: control characters are shown, not sent. */
export function visible(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}
