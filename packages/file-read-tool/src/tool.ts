import { defineTool } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";

export const fileRead = defineTool({
  name: "file_read",
  description: "Read contents of a file",
  parameters,
  output,
  run({ file_path, offset = 1, limit = Number.POSITIVE_INFINITY }, { maxOutputBytes }) {
    return { output: `${file_path} ${offset} ${limit} ${maxOutputBytes}`, lines_read: 0 };
  },
});
