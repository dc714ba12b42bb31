/** Shorter ones are no keys, and would eat words. */
const minSecretLength = 8;

/** Takes keys out of a text that a person or a file will see. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= minSecretLength) clean = clean.replaceAll(secret, "[key removed]");
  }
  return clean;
}
