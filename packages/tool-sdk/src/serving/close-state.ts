import { within } from "@ikigai/system";
import { complain, describeFailure } from "../report-failure.ts";
import type { ServiceDefinition } from "../service-definition.ts";

/** How long `close` may take, in milliseconds: with the last answers, less than the 2,000 after which a host sends SIGTERM. */
export const closeMs = 1_500;

/** Closes the state. A failure goes to stderr: the calls are answered, so it is the result of none. */
export async function closeState<State>(service: ServiceDefinition<State>, state: State): Promise<void> {
  try {
    await within(closeMs, Promise.resolve(service.close?.(state)));
  } catch (error) {
    complain(`Cannot close ${service.name}: ${describeFailure(error)}`);
  }
}
