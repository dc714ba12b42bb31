// The parts of jsonc-parser, each of which can be loaded without the others; their types are those of the whole.

declare module "jsonc-parser/lib/esm/impl/scanner.js" {
  export { createScanner } from "jsonc-parser/lib/esm/main.js";
}

declare module "jsonc-parser/lib/esm/impl/parser.js" {
  export { findNodeAtLocation, getNodeValue, parseTree } from "jsonc-parser/lib/esm/main.js";
}
