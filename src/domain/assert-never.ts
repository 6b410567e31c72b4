/** Ends every switch over a closed union: a case the compiler did not see is a bug. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}
