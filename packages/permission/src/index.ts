export { argumentsOf, type CallFacts, factsOf, gitUseOf, hasParameter, missingArgument } from "./call-facts.ts";
export { matchesCommand } from "./commands.ts";
export {
  decide,
  isAllowedInEdits,
  type Judgement,
  judge,
  needsKey,
  seenFrom,
  touchesProtected,
  withAgreedNeeds,
} from "./judge.ts";
export { ruleFor, ruleOffers, stricterRule, whyStillAsked } from "./offers.ts";
export {
  argumentsRead,
  changesFile,
  declaredAccess,
  fileTarget,
  isFileAccess,
  projectsOf,
  realTarget,
  withMeantPath,
} from "./paths.ts";
export {
  type Answer,
  type AnswerTool,
  type Ask,
  type CallToPermit,
  type Confirm,
  conversationModes,
  type Decision,
  type HookVerdict,
  isVerdict,
  type PendingCall,
  type Permission,
  type PermissionLimit,
  type PermissionMode,
  type PermissionRule,
  permissionModes,
  permissionModeTable,
  type Question,
  type RulePlace,
  type RunPlace,
  type SandboxUse,
  type ToolQuestion,
  type Verdict,
  verdicts,
  type YesOrNo,
} from "./permission.ts";
export { isReader } from "./reading.ts";
export {
  hostRuleFor,
  hostText,
  localPorts,
  pageHost,
  pathRulesIn,
  permittedHosts,
  readHostText,
  type WantedHost,
} from "./rule-match.ts";
export {
  insertRule,
  matchesWildcard,
  nameProblem,
  namesTool,
  parseRule,
  placeOfRule,
  type RuleParts,
  type RuleProblem,
  ruleProblem,
} from "./rules.ts";
export { isDoubtfulUrl, readUrl, refusedAddress, takesUrl } from "./urls.ts";
