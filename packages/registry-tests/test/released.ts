import { existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { inject } from "vitest";
import type { NpmSettings } from "./npm-settings.ts";

/** The release under test. */
export interface Release {
  readonly registry: string;
  /** Where the published tarballs are. */
  readonly storage: string;
  /** The clone that everything was published from. */
  readonly repository: string;
  /** The directory of the command `pnpm`, in the repository's version. */
  readonly pnpm: string;
  readonly npm: NpmSettings;
}

declare module "vitest" {
  interface ProvidedContext {
    /** The file in which the global setup describes the release when it is complete. */
    releaseFile: string;
  }
}

/** Time limit of a full build and about twenty uploads on a busy machine, in milliseconds. */
export const releaseMs = 300_000;

/** Waits for the release that the global setup started; throws its error if it failed. */
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
