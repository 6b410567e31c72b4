import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTP_BODIES_BYTES_MAX, HTTP_BODY_BYTES_MAX, HTTP_LARGE_BODY_BYTES_MIN } from '../../domain/limits.ts';

/** Bodies are held whole: large ones that come at once get so much memory together, and the next is asked to wait. */
export class BodyRoom {
  #bytes = 0;

  /** Whether there is room for what the request says it sends; it is given back when the answer is out. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const bytes = bytesOf(request);
    if (bytes < HTTP_LARGE_BODY_BYTES_MIN) return true;
    if (this.#bytes + bytes > HTTP_BODIES_BYTES_MAX) return false;
    this.#bytes += bytes;
    response.once('close', () => {
      this.#bytes -= bytes;
    });
    return true;
  }
}

/** One that comes in chunks may grow to the limit. */
function bytesOf({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return HTTP_BODY_BYTES_MAX;
  return Math.min(Number(headers['content-length'] ?? 0), HTTP_BODY_BYTES_MAX);
}
