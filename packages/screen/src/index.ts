// What draws on a terminal: safe text, styles, keys, the surface, the editor and the dialogs. It does not know the agent.
export {
  type Choice,
  type Dialog,
  edited,
  lineDialog,
  matchingChoices,
  type PickOptions,
  pickDialog,
  type SeveralLines,
} from "./dialogs.ts";
export type { Drawn, Frame } from "./draw-frame.ts";
export { type Completions, createEditor, type Editor } from "./editor.ts";
export { createImageTerminal, type ImageTerminal, type ImageTerminalOptions } from "./image-terminal.ts";
export { characterOf, isKey, isKeyRepeat, type KeyName, maxPasteLength, readKeys } from "./keys.ts";
export { changedWords, type DiffLine, diffLines, nearChange, nearLines, type TextRange } from "./line-diff.ts";
export { linkLinesIn, linksFor } from "./link-line.ts";
export type { DrawnLine, Picture } from "./picture.ts";
export {
  cutPart,
  cutToWidth,
  headAndTail,
  plainWidth,
  rowsOf,
  wrapNotice,
  wrapParts,
  wrapWords,
} from "./plain-text.ts";
export {
  asOnTerminal,
  lastState,
  sanitise,
  sanitiseLine,
  sanitiseStrictly,
  showAsNumbers,
  statesOf,
  wholeCharacters,
  withoutLooks,
} from "./sanitise.ts";
export { codeBlocks, type MarkdownCursor, type Piece, takePiece } from "./split-markdown.ts";
export {
  ansiStyle,
  asciiSigns,
  type Look,
  plainStyle,
  type Signs,
  type Style,
  type TerminalKind,
  terminalKind,
  unicodeSigns,
} from "./style.ts";
export {
  beginningOf,
  cutStyled,
  fromColumn,
  inFullRows,
  plainText,
  rankMatches,
  styledWidth,
  wrapBelowText,
  wrapHanging,
  wrapMarks,
  wrapStyled,
} from "./styled-text.ts";
export { openSurface, type Surface } from "./surface.ts";
export {
  type Drawable,
  drawableOn,
  drawnSigns,
  drawWith,
  firstQuestions,
  giveTerminalBack,
  takeTerminal,
} from "./terminal-state.ts";
export {
  ansiIndex,
  ansiNames,
  type ColourScheme,
  type Colours,
  codeOf,
  colourNames,
  paletteColour,
  type Rgb,
  rgbOf,
  type Skin,
  schemeFrom,
  type Theme,
  themeFor,
  themeWith,
} from "./theme.ts";
export { openViewerOn, type Viewer, type ViewerOptions, viewerHelp } from "./viewer.ts";
