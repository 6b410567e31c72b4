export interface UpAnswer {
  readonly url: string;
  readonly pid: number;
  /** The data folder. */
  readonly data: string;
  /** Where its log goes, if it runs in the background. */
  readonly log: string | null;
}

export function upText({ url, pid, data, log }: UpAnswer): string {
  const how = log === null ? 'Ctrl-C' : 'baton down';
  return [
    `the node of ${data} is up at ${url} (process ${pid})`,
    ...(log === null ? [] : [`  its log: ${log}`]),
    `  to stop it: ${how}`,
  ].join('\n');
}

export interface DownAnswer {
  /** The data folder. */
  readonly data: string;
  readonly stopped: boolean;
  readonly pid: number | null;
}

export function downText({ data, stopped, pid }: DownAnswer): string {
  return stopped ? `the node of ${data} (process ${pid}) has stopped` : `${data} has no node that is up`;
}
