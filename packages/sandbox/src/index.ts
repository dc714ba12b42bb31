export { whyNoSandbox } from "./bubblewrap.ts";
export {
  type DecisiveFile,
  decisiveFileAt,
  decisiveFiles,
  gitPlacesNamed,
} from "./decisive-files.ts";
export { keepIndex, recordingProblem } from "./git-recording.ts";
export { secretPlacesOf } from "./home.ts";
export { endMark, type Launcher, launcherPlace, startMark } from "./launcher.ts";
export { seesNoMore } from "./mount-plan.ts";
export { type NetworkOptions, networkProblem, sessionNetwork } from "./network.ts";
export { type PathRule, pathJudge, ruledPlaces } from "./path-rules.ts";
export type {
  Command,
  Failure,
  HostTraffic,
  Inside,
  NetworkUser,
  Place,
  SessionNetwork,
  Through,
  View,
} from "./place.ts";
export { filterFd, type Placeholder, type Placeholders, type SandboxSettings } from "./policy.ts";
export {
  type ChangeScene,
  maxPlanAgeMs,
  mayChange,
  outsidePathOf,
  placeProblem,
  type SandboxOptions,
  sandboxPlace,
  temporaryDirectory,
} from "./sandbox.ts";
export { isPointer, variablesInside } from "./variables.ts";
