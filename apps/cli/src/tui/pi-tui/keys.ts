import { decodeKittyPrintable, isKeyRepeat, type KeyId, matchesKey, StdinBuffer } from "@earendil-works/pi-tui";

/** The name of a key: `enter`, `ctrl+c`, `alt+enter`, `shift+tab`. */
export type KeyName = KeyId;

export { isKeyRepeat };

/** Whether the input is one of these keys, in any terminal's encoding. */
export function isKey(typed: string, ...names: readonly KeyName[]): boolean {
  return names.some((name) => matchesKey(typed, name));
}

/** A key with Shift, from a terminal that may leave out what Shift makes of it. */
const shiftOnly = /\[[\d:]+;2(?::\d+)?u$/;

/** The character that a key types; undefined for other keys. */
export function characterOf(typed: string): string | undefined {
  const decoded = decodeKittyPrintable(typed);
  if (decoded !== undefined) return shiftOnly.test(typed) ? decoded.toUpperCase() : decoded;
  return /^[^\p{Cc}\p{Cs}]/u.test(typed) ? typed : undefined;
}

/** Splits terminal input: one call of `take` for each key or report, even if it arrives in pieces. */
export function splitKeys(take: (key: string) => void): (text: string) => void {
  const buffer = new StdinBuffer();
  let high = "";
  buffer.on("data", (key: string) => {
    // A character outside the BMP arrives in two halves.
    const whole = high + key;
    high = /^[\ud800-\udbff]$/.test(whole) ? whole : "";
    if (high === "") take(whole);
  });
  return (text) => buffer.process(text);
}
