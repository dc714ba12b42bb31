import { answerChecks } from "./answer-checks.ts";
import { type Check, type Trial, toCheck } from "./check.ts";
import { fileChecks } from "./file-checks.ts";
import { inputChecks } from "./input-checks.ts";
import { isPlain, plainChecks } from "./plain-checks.ts";
import { processChecks } from "./process-checks.ts";
import { refusalChecks } from "./refusal-checks.ts";
import { schemaChecks } from "./schema-checks.ts";
import { servedChecks } from "./served-checks.ts";
import { serviceChecks } from "./service-checks.ts";

/** All checks; each comes after the one it needs. */
export const trials: readonly Trial[] = [
  ...fileChecks,
  ...schemaChecks,
  ...refusalChecks,
  ...answerChecks,
  ...inputChecks,
  ...processChecks,
  ...servedChecks,
  ...serviceChecks,
];

/**
 * The conformance checks of the protocol, as data for any test runner:
 * `test.each(conformance)("$title", async ({ run }) => expect(await run(bin)).toBeUndefined())`.
 */
export const conformance: readonly Check[] = trials.map(toCheck);

/** Those of plain tools, too. */
export const everyCheck: readonly Trial[] = [
  ...new Map([...trials, ...plainChecks].map((trial) => [trial.id, trial])).values(),
];

/** Returns the first id that no check has. */
export function unknownCheck(ids: readonly string[]): string | undefined {
  return ids.find((wanted) => !everyCheck.some(({ id }) => id === wanted));
}

/** Returns the checks of a tool: a plain one has its own. */
export function checksOf(path: string): readonly Trial[] {
  return isPlain(path) ? plainChecks : trials;
}
