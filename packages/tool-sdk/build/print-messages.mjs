// Prints what esbuild reports about a tool's sources.
import { formatMessages } from "esbuild";

const oneScript = "not supported: a built tool is one script, which runs as CommonJS and as ESM";

/** What esbuild says about an output format that the author of a tool cannot choose, and what to say instead. */
const replacements = [
  [/^Top-level await /, `await at the top level of a module is ${oneScript}`, "Await it in run."],
  [
    /^"import\.meta" /,
    `import.meta is ${oneScript}. It is empty`,
    "Files beside the sources are not part of the tool. To include data, import it from a .ts or .json file.",
  ],
];

/** Prints errors or warnings to stderr. @param kind "error" or "warning". */
export async function printMessages(kind, messages) {
  const texts = await formatMessages(messages.map(inOwnWords), { kind, color: process.stderr.isTTY });
  for (const text of texts) process.stderr.write(text);
}

function inOwnWords(message) {
  const [, text, note] = replacements.find(([pattern]) => pattern.test(message.text)) ?? [];
  return text === undefined ? message : { ...message, text, notes: [{ text: note }] };
}
