/**
 * Input for a process that must not take the end of it for the end of its standard input: its length in bytes, then itself
 * and a dot, by which a shell sees that all has come.
 */
export function framed(input: string): string {
  const whole = `${input}.`;
  return `${Buffer.byteLength(whole)}\n${whole}`;
}
