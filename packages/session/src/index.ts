// A conversation that outlives its process: its log, and all that is done with a log.

export { askAside, type ContextFrame } from "./aside.ts";
export {
  automaticName,
  type CatalogSession,
  type HourUse,
  namedSession,
  sessionCatalog,
  usageByModel,
} from "./catalog.ts";
export {
  areShort,
  charactersPerToken,
  compactConversation,
  contextSize,
  contextUse,
  shortenResults,
  summarise,
  tailStart,
} from "./compact.ts";
export { asTyped, type Conversation, type PastTurn, promptState, reportOf, typedForm } from "./conversation.ts";
export { AgentError, type AgentErrorCode, fromSystem } from "./errors.ts";
export {
  cancelledJson,
  type HostUse,
  parseLine,
  type SessionEvent,
  type SessionLine,
  type ToolStart,
  type TurnEndReason,
} from "./events.ts";
export { keepImages, maxImageBytes, readKept, toDocument, toImage, toShownImage, withBytes } from "./kept-files.ts";
export {
  isSessionOpen,
  lastConversation,
  listSessions,
  requireReadable,
  type SessionSummary,
  sessionId,
  sessionProblems,
  takeUp,
} from "./list.ts";
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
} from "./log.ts";
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
export { lastAnswer, networkedCalls, readAllLines, readLines, readTodos } from "./read.ts";
export { compactMessages, recordUse } from "./reading.ts";
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
} from "./rewind.ts";
export { filterSessions, type Hit, type SessionFilter, searchSessions } from "./search.ts";
export { openProjectUndo, type ProjectUndo, TurnUndo } from "./undo.ts";
