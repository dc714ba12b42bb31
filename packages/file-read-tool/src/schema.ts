export const parameters = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "Path to the file" },
    offset: { type: "integer", description: "First line (1-based); of a PDF, the page" },
    limit: { type: "integer", description: "Number of lines (of a PDF, pages)" },
    raw: { type: "boolean", description: "A notebook as JSON, not as cells" },
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
    documents: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, mime_type: { type: "string" } },
        required: ["path", "mime_type"],
      },
      description: "The file itself, if it is a PDF of few pages",
    },
    hint: { type: "string", description: "What to know about the file, or how to go on" },
    truncated: { type: "boolean", description: "Requested lines are missing at the end" },
  },
  required: ["output", "lines_read"],
} as const;
