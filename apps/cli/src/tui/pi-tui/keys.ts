import { decodeKittyPrintable, type KeyId, matchesKey, StdinBuffer } from "@earendil-works/pi-tui";

/** What a key is called: `enter`, `ctrl+c`, `alt+enter`, `shift+tab`. */
export type KeyName = KeyId;

/** Whether what came from the terminal is one of these keys, however this terminal writes it. */
export function isKey(typed: string, ...names: readonly KeyName[]): boolean {
  return names.some((name) => matchesKey(typed, name));
}

/** The character that a key stands for; undefined for keys that make none. */
export function characterOf(typed: string): string | undefined {
  const decoded = decodeKittyPrintable(typed);
  if (decoded !== undefined) return decoded;
  return /^[^\p{Cc}\p{Cs}]/u.test(typed) ? typed : undefined;
}

/** Takes what a terminal sends apart: one call for each key or answer of the terminal, also when one comes in pieces. */
export function splitKeys(take: (key: string) => void): (text: string) => void {
  const buffer = new StdinBuffer();
  let high = "";
  buffer.on("data", (key: string) => {
    // A character beyond the first plane comes in halves.
    const whole = high + key;
    high = /^[\ud800-\udbff]$/.test(whole) ? whole : "";
    if (high === "") take(whole);
  });
  return (text) => buffer.process(text);
}
