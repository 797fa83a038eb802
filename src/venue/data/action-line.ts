import type { Action } from "./action.ts";
import { exactJson, parseExactJson } from "./exact-json.ts";
import { isOldAction, type OldAction, upgradedAction } from "./old-actions.ts";

/** Encodes an action as one line, without a line break. */
export function encodeAction(action: Action): string {
  return exactJson(action);
}

/** Reads lines of the current format and of format 1. */
export function decodeAction(line: string): Action {
  const action = parseExactJson(line) as Action | OldAction;
  return isOldAction(action) ? upgradedAction(action) : action;
}
