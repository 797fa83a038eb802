import type { Action } from "./action.ts";
import { exactJson, parseExactJson } from "./exact-json.ts";

/** Encodes an action as one line, without a line break. */
export function encodeAction(action: Action): string {
  return exactJson(action);
}

export function decodeAction(line: string): Action {
  return parseExactJson(line) as Action;
}
