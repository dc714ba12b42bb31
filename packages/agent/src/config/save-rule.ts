import type { PermissionRule } from "../permission/permission.ts";

/**
 * Adds a rule to the user's `config.json`, before the ones it has.
 *
 * @throws Error when the file cannot be read as configuration or cannot be written; it is then as before.
 */
export declare function saveRule(home: string, rule: PermissionRule): void;
