import { tempDir } from "@ikigai/testing";

/** A home whose configuration also asks about commands that only read, so that tests can use `echo`. */
export function askingHome(): Promise<string> {
  return tempDir({ ".ikigai/config.json": JSON.stringify({ permission: { readOnlyCommands: false } }) });
}
