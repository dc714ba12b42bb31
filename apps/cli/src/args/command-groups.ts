/** The first words that several commands share, each with a summary of those commands. */
export const commandGroups = {
  tool: "list, show, call, check, create and install tools",
  hook: "list and test hooks",
  mcp: "use MCP servers, and serve ikigai's tools to MCP clients",
  config: "read and change the configuration",
} as const;

export type CommandGroup = keyof typeof commandGroups;

/** The group whose commands help also finds without its word: `ikigai help add`. */
export const commandGroup = "tool" satisfies CommandGroup;

export function isCommandGroup(word: string | undefined): word is CommandGroup {
  return word !== undefined && Object.hasOwn(commandGroups, word);
}
