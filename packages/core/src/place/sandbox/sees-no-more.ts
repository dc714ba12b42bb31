import type { Inside } from "../../process/command.ts";
import { viewOf } from "./mount-plan.ts";

/** From what permits least. */
const order = ["hidden", "temporary", "shown", "changeable"] as const;

/** Whether a process with these views can see and change nothing that the others do not permit. */
export function seesNoMore(had: Inside["views"], permitted: Inside["views"]): boolean {
  return [...had.keys(), ...permitted.keys()].every(
    (path) => order.indexOf(viewOf(had, path)) <= order.indexOf(viewOf(permitted, path)),
  );
}
