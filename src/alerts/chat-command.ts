import { actions, usualFlatten } from "../control/actions.ts";
import { type ControlRequest, type ControlResponse, MAX_TEXT_LENGTH } from "../control/protocol.ts";
import { responseTexts } from "../control/response-texts.ts";
import { rounded } from "../base/rounded.ts";
import type { BotStatus, StrategyStatus } from "../dashboard/api-schema.ts";
import { botStatus } from "../dashboard/bot-status.ts";
import { states } from "../dashboard/strategy-state.ts";

/** What a person wrote, as a request of `control/protocol.ts`. */
export interface ChatRequest {
  readonly line: string;
  /** What it does, for the question and for a failure. */
  readonly title: string;
  /** The reply when it is done. */
  show(response: Extract<ControlResponse, { ok: true }>): string;
}

export type ChatCommand =
  | ({ readonly type: "request"; readonly confirms: boolean } & ChatRequest)
  | { readonly type: "confirm"; readonly code: string }
  /** `unknown`: not asked for. */
  | { readonly type: "help"; readonly unknown: boolean };

/** Questions about the status, by their words. */
const questions = {
  status: { about: "what it does, and why a side is not quoted", show: statusText },
  pnl: { about: "today and in all", show: pnlText },
  positions: { about: "what it holds", show: positionsText },
} as const;

/** The actions that a chat has. Their words have `_` for `-`, since Telegram's commands have none. */
const chatActions = ["pause", "reduce-only", "resume", "halt", "flatten"] as const;
type ChatAction = (typeof chatActions)[number];

function requestOf(command: ChatAction, argument: string): ControlRequest {
  if (command === "halt")
    return { command, reason: argument.slice(0, MAX_TEXT_LENGTH) || "halted from Telegram" };
  const only = argument === "" ? {} : { strategy: argument };
  return command === "flatten" ? { command, ...usualFlatten, ...only } : { command, ...only };
}

const form = /^\/([a-z_]+)(?:@(\w+))?(?:\s+([^]*))?$/i;

/** Undefined for what is no command, or one for another bot than `ownName`, which is in small letters. */
export function chatCommand(text: string, ownName: string): ChatCommand | undefined {
  const [, written = "", bot, rest = ""] = form.exec(text.trim()) ?? [];
  if (written === "" || (bot !== undefined && bot.toLowerCase() !== ownName)) return undefined;
  const name = written.toLowerCase();
  const argument = rest.trim();
  if (name === "confirm") return { type: "confirm", code: argument };
  const title = [name, ...(argument === "" ? [] : [argument.slice(0, MAX_TEXT_LENGTH)])].join(" ");
  const asked = Object.entries(questions).find(([word]) => word === name)?.[1];
  if (asked !== undefined) {
    return {
      type: "request",
      confirms: false,
      line: JSON.stringify({ command: "status" }),
      title,
      show: ({ status }) => asked.show(botStatus.parse(status)),
    };
  }
  const action = chatActions.find((one) => wordOf(one) === name);
  if (action === undefined) return { type: "help", unknown: name !== "help" && name !== "start" };
  return {
    type: "request",
    // A resume, too, since a chat has no page beside it that shows what the bot would do.
    confirms: "confirms" in actions[action] || action === "resume",
    line: JSON.stringify(requestOf(action, argument)),
    title,
    show: (response) => [`${title}: done.`, ...responseTexts(response)].join("\n"),
  };
}

function wordOf(action: ChatAction): string {
  return action.replace("-", "_");
}

export function helpText(unknown: boolean): string {
  return [
    ...(unknown ? ["There is no such command."] : []),
    ...Object.entries(questions).map(([word, { about }]) => `/${word}: ${about}`),
    ...chatActions.map(
      (action) =>
        `/${wordOf(action)} [${action === "halt" ? "reason" : "strategy"}]: ${actions[action].summary}`,
    ),
  ].join("\n");
}

function statusText({ strategies, guard, warnings }: BotStatus): string {
  const newest = warnings.at(-1);
  return [
    ...strategies.map(
      (one) => `${one.name} (${one.market}): ${stateText(one)}, ${one.orders} orders`,
    ),
    `guard: ${guard}`,
    ...(newest === undefined ? [] : [`newest warning: ${newest.text}`]),
  ].join("\n");
}

function stateText({ state, reason: { BUY, SELL } }: StrategyStatus): string {
  if (BUY === null && SELL === null) return states[state][1];
  const sides = BUY === SELL ? [BUY] : [`bids: ${BUY ?? "quoted"}`, `asks: ${SELL ?? "quoted"}`];
  return [states[state][1], ...sides].join(", ");
}

function pnlText({ strategies, portfolio }: BotStatus): string {
  const shown = (text: string | null | undefined): string => rounded(text ?? "unknown");
  const rows = strategies.map(
    ({ name, position }) =>
      `${name}: today ${shown(position.dayPnl)}, in all ${shown(position.totalPnl)}`,
  );
  const { day, total } = portfolio?.pnl ?? {};
  return [...rows, `all: today ${shown(day)}, in all ${shown(total)}`].join("\n");
}

function positionsText({ strategies, portfolio }: BotStatus): string {
  const rows = strategies.map(
    ({ name, market, position }) => `${name} (${market}): ${position.base}`,
  );
  const net = Object.entries(portfolio?.positions ?? {});
  return [...rows, ...net.map(([token, amount]) => `net of token ${token}: ${amount}`)].join("\n");
}
