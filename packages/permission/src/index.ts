export { needsKey, withAgreedNeeds } from "./agreed-needs.ts";
export { argumentsOf, type CallFacts, factsOf, gitUseOf } from "./call-facts.ts";
export { decide, isAllowedInEdits, type Judgement, judge, touchesProtected } from "./decide.ts";
export {
  argumentsRead,
  changesFile,
  declaredAccess,
  fileTarget,
  isFileAccess,
  withMeantPath,
} from "./declared-access.ts";
export { takesUrl } from "./domain/domain-rule.ts";
export { isDoubtfulUrl, readUrl, refusedAddress } from "./domain/plain-url.ts";
export {
  hostRuleFor,
  hostText,
  localPorts,
  pageHost,
  permittedHosts,
  readHostText,
  type WantedHost,
} from "./host-rule.ts";
export { stricterRule, whyStillAsked } from "./insert-rule.ts";
export { hasParameter, missingArgument } from "./missing-argument.ts";
export {
  insertRule,
  nameProblem,
  namesTool,
  parseRule,
  placeOfRule,
  type RuleParts,
  type RuleProblem,
  ruleProblem,
} from "./parse-rule.ts";
export { pathRulesIn } from "./path-verdict.ts";
export {
  type Answer,
  type AnswerTool,
  type Ask,
  type CallToPermit,
  type Confirm,
  type Decision,
  type HookVerdict,
  isVerdict,
  type PendingCall,
  type Permission,
  type PermissionLimit,
  type PermissionRule,
  type Question,
  type RulePlace,
  type RunPlace,
  type SandboxUse,
  type ToolQuestion,
  type Verdict,
  verdicts,
  type YesOrNo,
} from "./permission.ts";
export { conversationModes, type PermissionMode, permissionModes, permissionModeTable } from "./permission-modes.ts";
export { isReader } from "./reading.ts";
export { realTarget } from "./real-target.ts";
export { ruleFor } from "./rule-for.ts";
export { ruleOffers } from "./rule-offers.ts";
export { matchesCommand } from "./shell/command-verdict.ts";
export { seenFrom } from "./within-limit.ts";
