export { atExit, beforeExit, endings } from "./before-exit.ts";
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
} from "./directories.ts";
export { LockError, ProxyError, WriteConflict } from "./errors.ts";
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
} from "./find-program.ts";
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
} from "./git.ts";
export { type ImageSize, imageSize } from "./image-size.ts";
export {
  argumentsJson,
  compactJson,
  cutJsonString,
  duplicateName,
  type JsonReading,
  jsonObject,
  onOneLine,
  parseObject,
  readJsonObject,
  replaceMember,
} from "./json.ts";
export { JsonScanner, type StringSpan } from "./json-scanner.ts";
export { isLeftLock, Lock, lockFile, lockHolder, lockState, withLock } from "./lock.ts";
export {
  fromUserHome,
  isExact,
  isInside,
  isProgram,
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
} from "./paths.ts";
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
export { limitParallel, runStaggered, unlessAborted, within } from "./promises.ts";
export { cannotReachProxy, proxyAnswer, proxyFault, proxyRefusal } from "./proxy.ts";
export {
  type FirstLine,
  openRegularFile,
  readFirstLine,
  readHead,
  readProblem,
  readRegularFile,
} from "./read-files.ts";
export {
  type ChildDescriptor,
  childStdio,
  openPipes,
  type Pipe,
  type ProgramOutput,
  programEnvironment,
  runProgram,
  startProgram,
} from "./run-program.ts";
export { createSimdMemory, plainMemory, type ScanMemory } from "./scan-memory.ts";
export {
  grantOf,
  isSecretVariable,
  type ProviderVariables,
  providerKeyNames,
  providerVariables,
  Redactor,
  redact,
  redactJson,
} from "./secrets.ts";
export {
  GrowingBytes,
  HeadAndTail,
  headEnd,
  type LineReader,
  leaveOutMiddle,
  lineReader,
  type StreamText,
} from "./text.ts";
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
} from "./visible.ts";
export {
  nearestWord,
  optionProblem,
  orList,
  shellWord,
  systemReason,
  tellingLine,
  utf8Text,
  withoutEnd,
  withoutPassword,
} from "./words.ts";
export { waitForDescriptor, writeAll } from "./write-all.ts";
export {
  temporaryName,
  temporaryOwner,
  temporaryPath,
  writeAtomically,
  writePrivateFile,
} from "./write-atomically.ts";
