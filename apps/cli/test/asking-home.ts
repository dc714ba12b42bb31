import { tempDir } from "@ikigai/testing";

/** A home in which commands that only read are asked about as well: tests of questions ask about `echo`. */
export function askingHome(): Promise<string> {
  return tempDir({ ".ikigai/config.json": JSON.stringify({ permission: { readOnlyCommands: false } }) });
}
