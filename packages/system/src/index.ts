export { isExact, readEntries, readLink, readNames, readRealPath } from "./files/exact-names.ts";
export { executionProblem } from "./files/execution-problem.ts";
export { isInside } from "./files/is-inside.ts";
export { makeDirectories } from "./files/make-directories.ts";
export { isClosedDirectory, makeIfMissing } from "./files/make-if-missing.ts";
export { makePrivateDirectory } from "./files/make-private-directory.ts";
export { openRegularFile } from "./files/open-regular-file.ts";
export { otherWriter } from "./files/other-writer.ts";
export { ownerProblem } from "./files/owner-problem.ts";
export { privateDirectoryMode, privateFileMode } from "./files/private-modes.ts";
export { type FirstLine, readFirstLine, readHead } from "./files/read-head.ts";
export { readProblem } from "./files/read-problem.ts";
export { readRegularFile } from "./files/read-regular-file.ts";
export { realPathOf } from "./files/real-path-of.ts";
export { statsOf } from "./files/stats-of.ts";
export { unwritableDirectory } from "./files/unwritable-directory.ts";
export { fromUserHome, pathAsMeant, userHome } from "./files/user-home.ts";
export { waitForDescriptor } from "./files/wait-for-descriptor.ts";
export { type Walk, walkLinks } from "./files/walk-links.ts";
export { writeAll } from "./files/write-all.ts";
export { writeAtomically } from "./files/write-atomically.ts";
export { WriteConflict } from "./files/write-conflict.ts";
export { temporaryName, temporaryOwner, temporaryPath, writePrivateFile } from "./files/write-private-file.ts";
export { takingOver, writerProblem, writerRemedy } from "./files/writer-problem.ts";
export { cannotReachProxy, proxyRefusal } from "./http/proxy.ts";
export { ProxyError } from "./http/proxy-error.ts";
export { proxyAnswer, proxyFault } from "./http/proxy-fault.ts";
export { cutJsonString } from "./json/cut-json-string.ts";
export { JsonScanner, type StringSpan } from "./json/json-scanner.ts";
export { onOneLine } from "./json/json-text.ts";
export { parseObject } from "./json/parse-object.ts";
export { type JsonReading, readJsonObject } from "./json/read-json-object.ts";
export { Lock } from "./lock/lock.ts";
export { LockError } from "./lock/lock-error.ts";
export { lockFile } from "./lock/lock-file.ts";
export { isLeftLock, lockHolder, lockState } from "./lock/lock-state.ts";
export { withLock } from "./lock/with-lock.ts";
export { loadSpawning } from "./platform/copy-attributes.ts";
export { descriptorPath } from "./platform/descriptor-path.ts";
export { closeInheritedDescriptors, inheritedDescriptors } from "./platform/inherited-descriptors.ts";
export { isDying, isExiting } from "./platform/is-dying.ts";
export { isLinux, isMacOs, maxPathBytes } from "./platform/platform.ts";
export { processStart } from "./platform/process-start.ts";
export {
  exitingFlag,
  isDeadState,
  readStat,
  stopWatching,
  watchState,
} from "./platform/process-stat.ts";
export {
  childrenOf,
  commandLineOf,
  environmentOf,
  newestId,
  processIds,
  processIdsBetween,
  runningMembers,
} from "./platform/process-table.ts";
export { readOften } from "./platform/read-often.ts";
export { beforeExit, endings } from "./process/before-exit.ts";
export { isAlive } from "./process/is-alive.ts";
export { signalGroup } from "./process/signal-group.ts";
export { systemReason } from "./process/system-reason.ts";
export { findProgram, programFinder } from "./programs/find-program.ts";
export { type IndexEntries, indexEntries } from "./programs/git-index.ts";
export { readGitLink, readGitPath, resolveGitPath } from "./programs/git-paths.ts";
export { hasOwnCommonDir, readWorktree, type WorktreeDirectories } from "./programs/git-worktree.ts";
export { isProgram } from "./programs/is-program.ts";
export { pathOutsideProject } from "./programs/path-outside-project.ts";
export { repositoryAround } from "./programs/repository-around.ts";
export { shellName, standardShell } from "./programs/standard-shell.ts";
export { wordsOutsideProject } from "./programs/words-outside-project.ts";
export { limitParallel } from "./promises/limit-parallel.ts";
export { unlessAborted } from "./promises/unless-aborted.ts";
export { within } from "./promises/within.ts";
export { compactJson } from "./text/compact-json.ts";
export { duplicateName } from "./text/duplicate-name.ts";
export { GrowingBytes } from "./text/growing-bytes.ts";
export { HeadAndTail, type StreamText } from "./text/head-and-tail.ts";
export {
  hasInvisible,
  showInvisible,
  showOnLine,
  signOf,
  visibleInstructions,
  visibleLine,
  withoutInvisible,
} from "./text/invisible.ts";
export { headEnd, leaveOutMiddle } from "./text/leave-out-middle.ts";
export { type LineReader, lineReader } from "./text/line-reader.ts";
export { nearestWord } from "./text/nearest-word.ts";
export { optionProblem } from "./text/option-problem.ts";
export { orList } from "./text/or-list.ts";
export { Redactor, redact, redactJson } from "./text/redact.ts";
export { replaceMember } from "./text/replace-member.ts";
export { shellWord } from "./text/shell-word.ts";
export { tellingLine } from "./text/telling-line.ts";
export { withoutEnd } from "./text/without-end.ts";
export { withoutPassword } from "./text/without-password.ts";
