/** Made by the build from the `schema.ts` and `package.json` of the tool that imports it. */
declare module "ikigai:compiled" {
  const compiled: import("@ikigai/tool-sdk").CompiledTool;

  export { compiled };
}
