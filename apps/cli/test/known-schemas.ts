import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** What is in the cache of ikigai after its first start. */
    schemas: string | undefined;
  }
}

/**
 * Makes a home one in which ikigai has been before: it knows the schemas of its own tools. To ask for them takes most of a
 * first start. A home that has a cache already stays as it is.
 */
export function knowSchemas(home: string | undefined): void {
  const schemas = inject("schemas");
  if (schemas === undefined || !home?.startsWith(tmpdir()) || !existsSync(home)) return;
  const cache = join(home, ".ikigai/cache");
  if (existsSync(cache)) return;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    writeFileSync(join(cache, "schemas.json"), schemas, { mode: 0o600 });
  } catch {
    // A home that cannot be written to is what the test is about.
  }
}
