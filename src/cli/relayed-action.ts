import { TouchlineError } from "../base/error.ts";
import { type ActionName, actions } from "../control/actions.ts";
import { type ControlRequest, controlResponse } from "../control/protocol.ts";
import type { PageServerOptions } from "../dashboard/page-server.ts";
import type { ApiBot } from "./api-bots.ts";

/** How the page of several bots passes an action on to the API of the bot that it names. Rejects with the bot's own refusal. */
export function relayedAction(bots: readonly ApiBot[]): PageServerOptions["command"] {
  return async (line, by, name) => {
    const bot = bots.find((one) => one.name === name);
    if (bot === undefined) {
      const names = bots.map((one) => one.name).join(", ");
      throw new TouchlineError("BOT_UNKNOWN", `An action needs ?bot=NAME, with one of ${names}.`);
    }
    // The bot's own API knows this page by its token, and not the caller.
    if (by.isAgent === true) {
      throw new TouchlineError("NOT_FOR_AGENTS", "Only a person may do this.");
    }
    const { command: action, ...request } = JSON.parse(line) as ControlRequest;
    const confirmed = "confirms" in actions[action as ActionName] ? { confirm: true } : {};
    const answer = await bot.api.post(action, { ...request, ...confirmed });
    const response = controlResponse.safeParse(answer);
    if (response.success) return JSON.stringify(response.data);
    throw new TouchlineError("NO_BOT", `What responds at ${bot.url} is no bot of this version.`);
  };
}
