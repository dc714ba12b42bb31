// Modules that the build provides.

/** A text: the build makes a string of it. */
declare module "*.txt" {
  const text: string;
  export = text;
}

/** The part of highlight.js (common languages) that is used; the build bundles it. Its own types need the DOM's. */
declare module "ikigai:highlighter" {
  export const HighlightJS: {
    getLanguage(name: string): unknown;
    highlight(
      code: string,
      options: { readonly language: string; readonly ignoreIllegals: boolean },
    ): { readonly value: string };
  };
}
