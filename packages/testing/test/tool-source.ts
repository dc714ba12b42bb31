/** The schema of the tools of these tests. */
export const schema = {
  name: "shout",
  description: "Says a text louder",
  parameters: {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string", description: "What to say" } },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: { version: "1.0.0", prestart: true },
};

/** A Node tool that keeps the protocol; `answer` and `refuse` are what it does with a call. */
export function nodeTool({
  schemaText = JSON.stringify(schema),
  start = "",
  answer = "console.log(JSON.stringify({ output: text.toUpperCase() }));",
  check = 'if (typeof text !== "string") throw new Error("Expected text to be a string");',
  refuse = "process.stderr.write(error.message.split(String.fromCharCode(10))[0] + String.fromCharCode(10)); process.exitCode = 1;",
}: {
  schemaText?: string;
  start?: string;
  answer?: string;
  check?: string;
  refuse?: string;
} = {}): string {
  return `#!/usr/bin/env node
if (process.argv[2] === "--schema") { process.stdout.write(${JSON.stringify(schemaText)}); process.exit(); }
${start}
try {
  const { text, ...rest } = parse(require("node:fs").readFileSync(0, "utf8"));
  ${check}
  ${answer}
} catch (error) {
  ${refuse}
}
function parse(input) {
  const value = JSON.parse(input);
  if (Array.isArray(value)) throw new Error("Expected an object");
  return value;
}
`;
}

/** A shell tool that does the given thing for `--schema`, and refuses every call. */
export function shellTool(printSchema: string): string {
  return `#!/bin/sh
if [ "$1" = --schema ]; then
${printSchema}
exit
fi
cat > /dev/null
echo "Expected something else" >&2
exit 1
`;
}

/** A shell tool with this schema. */
export function withSchema(changes: object): string {
  return shellTool(`cat << 'END'\n${JSON.stringify({ ...schema, ...changes })}\nEND`);
}
