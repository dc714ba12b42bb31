/** The languages of the templates. */
export const languageNames = ["bash", "python", "node", "go", "typescript"] as const;

export type LanguageName = (typeof languageNames)[number];
