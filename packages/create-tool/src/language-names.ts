/** The languages that a new tool can be written in. */
export const languageNames = ["bash", "python", "node", "go", "typescript"] as const;

export type LanguageName = (typeof languageNames)[number];
