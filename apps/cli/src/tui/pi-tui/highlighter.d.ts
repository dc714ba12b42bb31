// What is used of highlight.js with its common languages; the build puts it in. Its own types bring a browser's with them.
declare module "ikigai:highlighter" {
  export const HighlightJS: {
    getLanguage(name: string): unknown;
    highlight(
      code: string,
      options: { readonly language: string; readonly ignoreIllegals: boolean },
    ): { readonly value: string };
  };
}
