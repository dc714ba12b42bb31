// The rule that the docs of a library say what each of its functions throws.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Passes each function that this index.ts exports without saying what it throws to `report`, with its file. */
export function checkThrows(index, report) {
  for (const [, names, source] of readFileSync(index, "utf8").matchAll(/^export \{([^}]+)\} from "(\.[^"]+)";$/gm)) {
    const file = join(index, "..", source);
    const text = readFileSync(file, "utf8");
    for (const name of names.split(",").flatMap((one) => one.trim() || [])) {
      const declaration = new RegExp(`^export (async )?function ${name}\\b`, "m").exec(text);
      if (declaration && !saysWhatItThrows(docstringBefore(text, declaration.index)))
        report(file, `${name}: say what it throws with @throws, or "Never throws", or "Never rejects"`);
    }
  }
}

/** The docstring that ends right before this offset. */
function docstringBefore(text, end) {
  const before = text.slice(0, end).trimEnd();
  return before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : "";
}

function saysWhatItThrows(docstring) {
  return /@throws \S|\bnever (throws|rejects)\b/i.test(docstring.replaceAll(/\s*\n \* ?/g, " "));
}
