export const parameters = {
  type: "object",
  properties: {
    url: { type: "string", description: "URL (http or https)" },
    offset: { type: "integer", description: "First line (1-based)" },
    limit: { type: "integer", description: "Number of lines to read" },
    raw: { type: "boolean", description: "As it came, not as Markdown" },
  },
  required: ["url"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The page as Markdown, or the text as it came" },
    url: { type: "string", description: "Where the page is, after redirects" },
    status: { type: "integer", description: "The HTTP status" },
    content_type: { type: "string" },
    title: { type: "string" },
    lines: { type: "integer", description: "Number of lines in `output`; the next one is offset + lines" },
    total_lines: { type: "integer", description: "Number of lines of the whole page" },
    cached: { type: "boolean", description: "The page was fetched by an earlier call" },
    removed: { type: "integer", description: "Number of invisible characters that were removed" },
    truncated: { type: "boolean", description: "Requested lines are missing at the end" },
    hint: { type: "string", description: "Why the page may have little text" },
  },
  required: ["output", "url", "status", "content_type", "lines", "total_lines"],
} as const;
