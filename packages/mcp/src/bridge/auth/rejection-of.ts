import { setTimeout } from "node:timers/promises";
import type { Rejection } from "./needs-login.ts";

/** How long the rest of a rejection may take, in milliseconds: it is only read for its words. */
const wordsMs = 2_000;

/** How a server rejected a request: its words, if they come soon, and whether it asks for a token. */
export async function rejectionOf(response: Response): Promise<Rejection> {
  const asksForToken = /^\s*Bearer\b/i.test(response.headers.get("www-authenticate") ?? "");
  return { words: await wordsOf(response), asksForToken };
}

async function wordsOf(response: Response): Promise<string> {
  const reader = response.clone().body?.getReader();
  if (!reader) return "";
  try {
    // Whatever is longer is no sentence: the first part is enough.
    const first = await Promise.race([reader.read(), setTimeout(wordsMs, undefined, { ref: false })]);
    return first?.value === undefined ? "" : Buffer.from(first.value).toString();
  } catch {
    return "";
  } finally {
    void reader.cancel().catch(() => {});
  }
}
