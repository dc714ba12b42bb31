import type { AgentEvent } from "@ikigai/agent";
import { renderCall, renderResult } from "../screen/render-call.ts";
import { sanitise } from "../screen/sanitise.ts";
import type { Screen } from "./screen.ts";

/** Shows what happens in a turn. */
export interface EventView {
  show(event: AgentEvent): void;
}

/** What is known of a call until its result comes. */
interface OpenCall {
  readonly name: string;
  readonly arguments: string;
  scope?: string;
}

export function createEventView(screen: Screen): EventView {
  const calls = new Map<string, OpenCall>();
  /** The call whose heading is the last thing on the screen. */
  let headed: string | undefined;

  const head = (id: string) => {
    const call = calls.get(id);
    if (call === undefined || headed === id) return;
    screen.startLine();
    screen.print(`${renderCall(call, screen)}\n`);
    headed = id;
  };

  return {
    show(event) {
      switch (event.type) {
        case "text":
          headed = undefined;
          return screen.stream(event.text);
        case "tool_call":
          calls.set(event.id, { name: event.name, arguments: event.arguments });
          return;
        case "tool_start": {
          const call = calls.get(event.id);
          if (call) call.scope = event.scope;
          return head(event.id);
        }
        case "tool_result":
          head(event.id);
          calls.delete(event.id);
          headed = undefined;
          return screen.print(renderResult(event, screen));
        case "notice":
          headed = undefined;
          screen.startLine();
          return screen.print(screen.style.yellow(`${sanitise(event.text)}\n`));
        case "step_end":
          headed = undefined;
          return screen.startLine();
        case "user":
        case "reasoning":
        case "tool_call_start":
        case "tool_progress":
        case "turn_end":
          return;
        default:
          event satisfies never;
      }
    },
  };
}
