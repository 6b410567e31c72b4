/** The time of the processor that some work takes, in milliseconds. What else the machine runs hardly counts. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
