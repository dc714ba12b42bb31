import type { TrustStatus } from "../registry/registry.ts";

/** How to say that a project's files are not used because of trust: the end of a sentence. */
export function untrustedWords(trust: TrustStatus): string {
  return trust === "changed" ? "no longer trusted (files changed)" : "not trusted";
}
