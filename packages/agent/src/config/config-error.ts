import { IkigaiError } from "@ikigai/core/errors";
import type { ConfigProblem } from "./config.ts";

/** Formats one problem for people: `FILE:LINE:COLUMN: MESSAGE`, followed by the line and a caret. */
export function renderConfigProblem({ path, key, place, message }: ConfigProblem): string {
  const where = place ? `${path}:${place.line}:${place.column}` : `${path}${key === undefined ? "" : `, ${key}`}`;
  const excerpt = place ? `\n${place.excerpt.replace(/^/gm, "  ")}` : "";
  return `${where}: ${message}${excerpt}`;
}

/**
 * The configuration cannot be used: it cannot be read, or its sandbox, permission or tools settings are invalid. Continuing
 * would drop a limit that the user has set.
 */
export class ConfigError extends IkigaiError<"config"> {
  /** Always `ConfigError`. */
  override readonly name = "ConfigError";
  /** Every problem that was found. */
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const list = problems.map(renderConfigProblem).join("\n");
    super(
      "config",
      `The configuration cannot be used, so nothing was run.\n${list}\nCheck it again with: ikigai doctor`,
    );
    this.problems = problems;
  }
}
