import { openToolbox as open, type Places, type Toolbox, type ToolRules } from "@ikigai/agent/internal";
import { beforeExit } from "@ikigai/system";

/** Starts to look for tools. Those that are being asked for their schema end with this process. */
export function openToolbox(places: Places, env: NodeJS.ProcessEnv, rules: ToolRules): Toolbox {
  const toolbox = open(places, env, rules);
  beforeExit(() => toolbox.close());
  return toolbox;
}
