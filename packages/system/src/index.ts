export {
  hereDirectories,
  hereDirectory,
  isClosedDirectory,
  isDirectory,
  makeDirectories,
  makeIfMissing,
  makePrivateDirectory,
  namesIn,
  privateDirectoryMode,
  privateFileMode,
  unwritableDirectory,
} from "./files/directories.ts";
export { type ImageSize, imageSize } from "./files/image-size.ts";
export {
  fromUserHome,
  isExact,
  isInside,
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
  type FirstLine,
  openRegularFile,
  readFirstLine,
  readHead,
  readProblem,
  readRegularFile,
} from "./files/read-files.ts";
export { waitForDescriptor } from "./files/wait-for-descriptor.ts";
export { writeAll } from "./files/write-all.ts";
export {
  temporaryName,
  temporaryOwner,
  temporaryPath,
  WriteConflict,
  writeAtomically,
  writePrivateFile,
} from "./files/write-atomically.ts";
export {
  executionProblem,
  otherWriter,
  ownerProblem,
  takingOver,
  writerProblem,
  writerRemedy,
} from "./files/writer-problem.ts";
export { cannotReachProxy, ProxyError, proxyRefusal } from "./http/proxy.ts";
export { proxyAnswer, proxyFault } from "./http/proxy-fault.ts";
export { JsonScanner, type StringSpan } from "./json/json-scanner.ts";
export { cutJsonString, type JsonReading, onOneLine, parseObject, readJsonObject } from "./json/json-text.ts";
export { isLeftLock, Lock, lockFile, lockHolder, lockState, withLock } from "./lock/lock.ts";
export { LockError } from "./lock/lock-holder.ts";
export { loadSpawning } from "./platform/copy-attributes.ts";
export { closeInheritedDescriptors, descriptorPath, inheritedDescriptors } from "./platform/descriptors.ts";
export { isLinux, isMacOs, maxPathBytes } from "./platform/platform.ts";
export {
  childrenOf,
  commandLineOf,
  environmentOf,
  exitingFlag,
  isDeadState,
  isDying,
  isExiting,
  newestId,
  processIds,
  processIdsBetween,
  processStart,
  readOften,
  readStat,
  runningMembers,
  stopWatching,
  watchState,
} from "./platform/proc.ts";
export { atExit, beforeExit, endings } from "./process/before-exit.ts";
export { type ChildDescriptor, childStdio } from "./process/child-stdio.ts";
export {
  grantOf,
  isSecretVariable,
  type ProviderVariables,
  providerKeyNames,
  providerVariables,
} from "./process/secret-variables.ts";
export { isAlive, signalGroup } from "./process/signals.ts";
export { systemReason } from "./process/system-reason.ts";
export {
  explainEnvFailure,
  explainForeignProgram,
  explainStartFailure,
  explainTakenOption,
  fileObstacle,
  whyNoProgram,
} from "./programs/explain-start-failure.ts";
export {
  findProgram,
  pathOutsideProject,
  programFinder,
  shellName,
  standardShell,
  wordsOutsideProject,
} from "./programs/find-program.ts";
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
} from "./programs/git.ts";
export { isProgram } from "./programs/is-program.ts";
export {
  openPipes,
  type Pipe,
  type ProgramOutput,
  programEnvironment,
  runProgram,
  startProgram,
} from "./programs/run-program.ts";
export { limitParallel, unlessAborted, within } from "./promises/promises.ts";
export { GrowingBytes } from "./text/growing-bytes.ts";
export { HeadAndTail, type StreamText } from "./text/head-and-tail.ts";
export {
  escapeOf,
  hasInvisible,
  showInvisible,
  showOnLine,
  signOf,
  visibleInstructions,
  visibleLine,
  withoutInvisible,
} from "./text/invisible.ts";
export { compactJson, duplicateName, replaceMember } from "./text/json-strings.ts";
export { headEnd, leaveOutMiddle } from "./text/leave-out-middle.ts";
export { type LineReader, lineReader } from "./text/line-reader.ts";
export { Redactor, redact, redactJson } from "./text/redact.ts";
export { TerminalText } from "./text/terminal-text.ts";
export { withoutPassword } from "./text/without-password.ts";
export { nearestWord, optionProblem, orList, shellWord, tellingLine, utf8Text, withoutEnd } from "./text/words.ts";
