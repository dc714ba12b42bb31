import { existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { inject } from "vitest";
import type { NpmSettings } from "./npm-settings.ts";

/** What the tests of a release are given. */
export interface Release {
  readonly registry: string;
  /** Where the published tarballs are. */
  readonly storage: string;
  /** The clone that everything was published from. */
  readonly repository: string;
  /** The directory that has the command `pnpm`, in the version that the repository uses. */
  readonly pnpm: string;
  readonly npm: NpmSettings;
}

declare module "vitest" {
  interface ProvidedContext {
    /** The file that says, once everything is released, where. */
    releaseFile: string;
  }
}

/** How long a build of everything and some twenty uploads may take on a busy machine, in milliseconds. */
export const releaseMs = 300_000;

/** Waits for the release that was started before the tests; throws what went wrong with it. */
export async function released(): Promise<Release> {
  const file = inject("releaseFile");
  const deadline = Date.now() + releaseMs + 10_000;
  while (!existsSync(file)) {
    if (Date.now() > deadline) throw new Error(`Expected a release within ${releaseMs} ms.`);
    await setTimeout(50);
  }
  const outcome: Release | { readonly error: string } = JSON.parse(readFileSync(file, "utf8"));
  if ("error" in outcome) throw new Error(outcome.error);
  return outcome;
}
