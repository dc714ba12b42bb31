// A conversation on disk, and what is done with it. The README has the modules.

export { askAside, type RequestParts } from "./context/aside.ts";
export {
  areShort,
  charactersPerToken,
  compactConversation,
  contextSize,
  contextUse,
  shortenResults,
  summarise,
  tailStart,
} from "./context/compact.ts";
export { asTyped, type Conversation, type PastTurn, promptState, reportOf, typedForm } from "./conversation.ts";
export { AgentError, type AgentErrorCode, fromSystem } from "./errors.ts";
export {
  isSessionOpen,
  lastConversation,
  listSessions,
  requireReadable,
  type SessionSummary,
  sessionProblems,
  takeUp,
} from "./finding/list-sessions.ts";
export { filterSessions, type Hit, type SessionFilter, searchSessions } from "./finding/search-words.ts";
export {
  automaticName,
  type CatalogSession,
  type HourUse,
  namedSession,
  sessionCatalog,
  usageByModel,
} from "./finding/usage-catalog.ts";
export {
  cancelledJson,
  type HostUse,
  parseLine,
  type SessionEvent,
  type SessionLine,
  type ToolStart,
  type TurnEndReason,
} from "./log/events.ts";
export { keepImages, maxImageBytes, readKept, toDocument, toImage, toShownImage, withBytes } from "./log/kept-files.ts";
export {
  agentsDir,
  hasAgents,
  isHeld,
  logSuffix,
  noLog,
  outputsDir,
  readOnlyLog,
  sessionFiles,
  sessionsDir,
  stateDir,
} from "./log/log.ts";
export { clearTodos, lastAnswer, networkedCalls, readAllLines, readLines, readTodos } from "./log/read-log.ts";
export { compactMessages, recordUse } from "./log/rebuild.ts";
export {
  archiveSession,
  deleteSession,
  importSession,
  isName,
  readStoredSession,
  type StoredSession,
  sessionJson,
} from "./manage.ts";
export {
  forkConversation,
  newSessionId,
  type ResumedConversation,
  resumeConversation,
  type StartOptions,
  startConversation,
} from "./open.ts";
export {
  type RecordedAnswers,
  type RecordedCall,
  type Recording,
  readRecording,
  recordedAnswers,
  recordedHost,
  recordedModel,
} from "./replay.ts";
export {
  type ChangedFile,
  changedFiles,
  contentHash,
  keepCheckpoint,
  lastRewind,
  restoreFile,
  rewindConversation,
  type UserTurn,
  userTurns,
} from "./rewind/rewind.ts";
export { openProjectUndo, type ProjectUndo, TurnUndo } from "./rewind/undo.ts";
