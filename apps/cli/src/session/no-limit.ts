/** Who types a command waits as long as they like, and can stop it: no limit, in milliseconds, whatever holds for models. */
export const noLimitMs = Number.MAX_SAFE_INTEGER;
