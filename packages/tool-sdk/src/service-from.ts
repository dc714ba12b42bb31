import type { ServiceDefinition, ToolService } from "./service-definition.ts";
import { serveAlone } from "./serving/serve-alone.ts";
import { serveOverlapping } from "./serving/serve-overlapping.ts";

/**
 * Returns a service for `defineTool`. One process answers the calls of a conversation, which may overlap, with the state that
 * `open` made; without a host that runs services, each call opens and closes its own. Never throws.
 *
 * @typeParam State what it keeps.
 */
export function defineService<State>(definition: ServiceDefinition<State>): ToolService<State> {
  return {
    ...definition,
    serve: (built, stop) =>
      process.env.IKIGAI_SERVE === "1" ? serveOverlapping(definition, built) : serveAlone(definition, built, stop),
  };
}
