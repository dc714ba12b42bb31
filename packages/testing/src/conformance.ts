import { callChecks } from "./call-checks.ts";
import type { Check } from "./check.ts";
import { fileChecks } from "./file-checks.ts";
import { schemaChecks } from "./schema-checks.ts";

/**
 * Everything that the protocol asks of any tool, as data for any test runner:
 * `test.each(conformance)("$title", async ({ run }) => expect(await run(bin)).toBeUndefined())`.
 */
export const conformance: readonly Check[] = [...fileChecks, ...schemaChecks, ...callChecks].map((check) => ({
  ...check,
  run: (bin) => check.run(bin).catch((error: Error) => `It could not be tried: ${error.message}`),
}));
