import type { AgentEvent, Toolbox } from "@ikigai/agent/internal";
import type { RegisteredTool } from "@ikigai/core";

const readingKinds: readonly (string | undefined)[] = ["read-file", "list-files", "search-files"];

/** Whether a tool is one of ikigai's own that can only read files. */
export function onlyReads({ scope, schema }: RegisteredTool): boolean {
  return scope === "system" && readingKinds.includes(schema.ikigai?.access?.kind);
}

/** Watches a turn for calls that may change something. */
export interface ChangeWatch {
  /** Takes each event of the turn. */
  see(event: AgentEvent): void;
  /** What to print when the turn is interrupted. */
  interrupted(): Promise<string>;
}

/** Starts to watch a turn. */
export function watchChanges(toolbox: Toolbox): ChangeWatch {
  const names = new Map<string, string>();
  const started = new Set<string>();
  return {
    see(event) {
      if (event.type === "tool_call") names.set(event.id, event.name);
      if (event.type === "tool_start") started.add(names.get(event.id) ?? "");
    },
    async interrupted() {
      const { tools } = await toolbox.last();
      const reading = tools.filter(onlyReads).map(({ name }) => name);
      const hasChanged = [...started].some((name) => !reading.includes(name));
      return interruptedText(hasChanged);
    },
  };
}

/** What to print of a turn that was interrupted. */
export function interruptedText(hasChanged: boolean): string {
  return hasChanged ? "Interrupted. Changes made so far are kept." : "Interrupted.";
}
