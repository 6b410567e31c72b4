export interface PostCall {
  readonly url: string;
  /** JSON. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type PostEnd =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unreached'; readonly error: string };

/** Posts a text to a web address. Follows no redirect, reads nothing of the answer but its status, and never waits longer. */
export async function postText({ url, text, headers, timeoutMs, signal }: PostCall): Promise<PostEnd> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: text,
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'Baton', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([limit, signal]),
    });
    await answer.body?.cancel();
    return { kind: 'answered', status: answer.status };
  } catch (error) {
    if (limit.aborted) return { kind: 'unreached', error: `no answer within ${timeoutMs / 1_000} s` };
    const { cause, message } = error as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { kind: 'unreached', error: code ?? message };
  }
}
