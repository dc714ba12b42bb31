export const parameters = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "Path to the file" },
    offset: { type: "integer", description: "Line number to start reading from (1-based); of a PDF, the page" },
    limit: { type: "integer", description: "Number of lines (of a PDF, pages) to read" },
    raw: { type: "boolean", description: "Read a notebook (.ipynb) as JSON, not as its cells" },
  },
  required: ["file_path"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The lines, exactly as in the file" },
    lines_read: { type: "integer", description: "Number of lines in `output`; the next one is offset + lines_read" },
    total_lines: { type: "integer", description: "Number of lines in the file, if it was read to the end" },
    images: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, mime_type: { type: "string" } },
        required: ["path", "mime_type"],
      },
      description: "The file itself, if it is a picture; the pictures in a notebook",
    },
    hint: { type: "string", description: "What to know about the file, or how to go on" },
    truncated: { type: "boolean", description: "Requested lines are missing at the end" },
  },
  required: ["output", "lines_read"],
} as const;
