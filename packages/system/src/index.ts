// What all packages need of the system, one of each. In order: errors; files, directories and locks; JSON; what differs between systems;
// processes, promises and programs; texts for people, for a terminal, without secrets.

export { LockError, WriteConflict } from "./errors.ts";
export {
  executionProblem,
  hereDirectories,
  hereDirectory,
  isClosedDirectory,
  isDirectory,
  makeDirectories,
  makeIfMissing,
  makePrivateDirectory,
  namesIn,
  otherWriter,
  ownerProblem,
  privateDirectoryMode,
  privateFileMode,
  takingOver,
  unwritableDirectory,
  writerProblem,
  writerRemedy,
} from "./files/directories.ts";
export {
  hasOwnCommonDir,
  type IndexEntries,
  indexEntries,
  readGitLink,
  readGitPath,
  readWorktree,
  repositoryAround,
  resolveGitPath,
  type WorktreeDirectories,
} from "./files/git.ts";
export { type ImageSize, imageSize } from "./files/image-size.ts";
export { isLeftLock, Lock, lockFile, lockHolder, lockState, withLock } from "./files/lock.ts";
export {
  fromUserHome,
  isExact,
  isInside,
  isLink,
  isProgram,
  isThere,
  pathAsMeant,
  pathAsSpelled,
  readEntries,
  readLink,
  readNames,
  readRealPath,
  realPathOf,
  statsOf,
  userHome,
  type Walk,
  walkLinks,
} from "./files/paths.ts";
export {
  entriesOf,
  type FirstLine,
  hashFile,
  hashTree,
  openRegularFile,
  pythonCache,
  readFirstLine,
  readHead,
  readProblem,
  readRegularFile,
} from "./files/read-files.ts";
export { waitForDescriptor, writeAll } from "./files/write-all.ts";
export {
  temporaryName,
  temporaryOwner,
  temporaryPath,
  writeAtomically,
  writePrivateFile,
} from "./files/write-atomically.ts";
export {
  argumentsJson,
  compactJson,
  cutJsonString,
  duplicateName,
  type JsonReading,
  JsonScanner,
  jsonObject,
  onOneLine,
  parseObject,
  readJsonObject,
  replaceMember,
  type StringSpan,
} from "./json/json.ts";
export {
  childrenOf,
  closeInheritedDescriptors,
  commandLineOf,
  descriptorPath,
  environmentOf,
  exitingFlag,
  inheritedDescriptors,
  isAlive,
  isDeadState,
  isDying,
  isExiting,
  isLinux,
  isMacOs,
  loadSpawning,
  maxPathBytes,
  newestId,
  processIds,
  processIdsBetween,
  processStart,
  readOften,
  readStat,
  runningMembers,
  signalGroup,
  stopWatching,
  watchState,
} from "./platform.ts";
export { atExit, beforeExit, endings } from "./process/before-exit.ts";
export {
  explainEnvFailure,
  explainForeignProgram,
  explainStartFailure,
  explainTakenOption,
  fileObstacle,
  findProgram,
  pathOutsideProject,
  programFinder,
  shellName,
  standardShell,
  whyNoProgram,
  wordsOutsideProject,
} from "./process/find-program.ts";
export { limitParallel, longestTimerMs, runStaggered, unlessAborted, within } from "./process/promises.ts";
export {
  type ChildDescriptor,
  childStdio,
  openPipes,
  type Pipe,
  type ProgramOutput,
  programEnvironment,
  runProgram,
  startProgram,
} from "./process/run-program.ts";
export {
  GrowingBytes,
  HeadAndTail,
  headEnd,
  type LineReader,
  leaveOutMiddle,
  lineReader,
  type StreamText,
} from "./text/long-text.ts";
export { type ProviderVariables, providerKeyNames, providerVariables } from "./text/provider-variables.ts";
export { createSimdMemory, plainMemory, type ScanMemory } from "./text/scan-memory.ts";
export { grantOf, isSecretVariable, Redactor, redact, redactJson } from "./text/secrets.ts";
export {
  escapeOf,
  hasInvisible,
  showInvisible,
  showOnLine,
  signOf,
  TerminalText,
  visibleInstructions,
  visibleLine,
  withoutInvisible,
} from "./text/visible.ts";
export {
  nearestWord,
  optionProblem,
  orList,
  shellWord,
  systemReason,
  tellingLine,
  tokenCount,
  utf8Text,
  withoutEnd,
  withoutPassword,
} from "./text/words.ts";
