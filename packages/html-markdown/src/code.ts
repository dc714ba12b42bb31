/** A code span whose fence is longer than any run of backticks inside. */
export function codeSpan(code: string): string {
  const fence = "`".repeat(longestRun(code) + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + padding + code + padding + fence;
}

/** A code block, with its tabs; nothing if there is no code. */
export function codeBlock(text: string, language = ""): string {
  const code = text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/(?![\t\n])\p{Cc}|\ufeff/gu, "")
    .replaceAll("\u00a0", " ")
    .replace(/^\n/, "")
    .trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return code.trim() === "" ? "" : `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
