import { type FrontMatter, maxFrontMatterLength, readSimpleYaml, splitFrontMatter } from "./front-matter.ts";

/**
 * Reads the front matter of a Markdown file: YAML between two lines `---` at its top. Loads a YAML parser only for what
 * `readSimpleYaml` does not read. Aliases are refused, so a text cannot grow. Never rejects.
 *
 * @returns the fields and the text below; or the problem, the end of a sentence that begins with the file's name.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter | { readonly problem: string }> {
  const split = splitFrontMatter(text);
  if (!split) return { problem: "must begin with YAML front matter between two --- lines" };
  const { block, body } = split;
  if (block.length > maxFrontMatterLength) {
    return { problem: `has front matter of more than ${maxFrontMatterLength} characters` };
  }
  const fields = readSimpleYaml(block);
  const reading = fields ? { fields } : (await import("./read-yaml.ts")).readYaml(block);
  return "problem" in reading ? reading : { ...reading, body };
}
