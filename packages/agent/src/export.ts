// Exports a session for people. A separate entry, so that programs load it only when they need it.

export {
  type CallDescription,
  type ChangedLine,
  type CodeKind,
  type CodePiece,
  type ExportOptions,
  exportHtml,
  exportMarkdown,
  type PastCall,
  type ReadCode,
} from "@ikigai/session/export";
