/** Whether it happened in time. What is waited for goes on either way; its failure is thrown. */
export async function waitAtMost(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timeout);
  }
}
