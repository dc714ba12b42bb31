import type { Attributes } from "./page.ts";

const languageClass = /(?:^|\s)(?:language|lang|highlight-source|highlight)-([a-z0-9+#._-]{1,30})(?=\s|$)/i;
/** What highlighters write for code in no language in particular. */
const noLanguage = /^(?:none|default|text|plain|plaintext|plain-text|notranslate|auto)$/;

/** The language of a code block by the class of an element, as highlighters and sites write it. */
export function languageOfClass(attributes: Attributes): string | undefined {
  if (attributes.size === 0) return undefined;
  const named = attributes.get("data-lang") ?? attributes.get("data-language");
  const language =
    named !== undefined && /^[a-z0-9+#._-]{1,30}$/i.test(named)
      ? named
      : languageClass.exec(attributes.get("class") ?? "")?.[1];
  return language && !noLanguage.test(language.toLowerCase()) ? language.toLowerCase() : undefined;
}
