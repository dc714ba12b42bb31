import { IkigaiError } from "@ikigai/core/ikigai-error";
import type { ConfigProblem } from "./config.ts";

/** One problem for people: `FILE:LINE:COLUMN: MESSAGE`, and below it the line with a mark. */
export function renderConfigProblem({ path, key, place, message }: ConfigProblem): string {
  const where = place ? `${path}:${place.line}:${place.column}` : `${path}${key === undefined ? "" : `, ${key}`}`;
  const excerpt = place ? `\n${place.excerpt.replace(/^/gm, "  ")}` : "";
  return `${where}: ${message}${excerpt}`;
}

/**
 * The configuration cannot be used: it cannot be read, or what it says of the sandbox, permission or tools is not clear. To go
 * on would be to leave out a limit that the user has set.
 */
export class ConfigError extends IkigaiError<"config"> {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const told = problems.map(renderConfigProblem).join("\n");
    super(
      "config",
      `The configuration cannot be used, so nothing was run.\n${told}\nCheck it again with: ikigai doctor`,
    );
    this.problems = problems;
  }
}
