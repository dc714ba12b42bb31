// The part of highlight.js (common languages) that is used; the build bundles it. Its own types need the DOM's.
declare module "ikigai:highlighter" {
  export const HighlightJS: {
    getLanguage(name: string): unknown;
    highlight(
      code: string,
      options: { readonly language: string; readonly ignoreIllegals: boolean },
    ): { readonly value: string };
  };
}
