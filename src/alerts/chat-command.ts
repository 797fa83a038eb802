import {
  actions,
  type ControlRequest,
  type ControlResponse,
  MAX_TEXT_LENGTH,
  usualFlatten,
} from "../control/protocol.ts";
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

interface ChatWord {
  /** As typed after the command. */
  readonly form?: "[strategy]" | "[reason]";
  readonly about: string;
  request(text: string): ControlRequest;
  /** For a question about the status. */
  show?(status: BotStatus): string;
}

const words: Readonly<Record<string, ChatWord>> = {
  status: {
    about: "what it does, and why a side is not quoted",
    request: () => ({ command: "status" }),
    show: statusText,
  },
  pnl: { about: "today and in all", request: () => ({ command: "status" }), show: pnlText },
  positions: {
    about: "what it holds",
    request: () => ({ command: "status" }),
    show: positionsText,
  },
  pause: {
    form: "[strategy]",
    about: "cancel the quotes",
    request: (text) => ({ command: "pause", ...only(text) }),
  },
  reduce_only: {
    form: "[strategy]",
    about: "only bring positions nearer to 0",
    request: (text) => ({ command: "reduce-only", ...only(text) }),
  },
  resume: {
    form: "[strategy]",
    about: "let it quote again",
    request: (text) => ({ command: "resume", ...only(text) }),
  },
  halt: {
    form: "[reason]",
    about: "cancel all orders of the bot",
    request: (text) => ({
      command: "halt",
      reason: text === "" ? "halted from Telegram" : text.slice(0, MAX_TEXT_LENGTH),
    }),
  },
  flatten: {
    form: "[strategy]",
    about: "pause, and trade the positions towards 0",
    request: (text) => ({ command: "flatten", ...usualFlatten, ...only(text) }),
  },
};

const form = /^\/([a-z_]+)(?:@(\w+))?(?:\s+([^]*))?$/i;

/** Undefined for what is no command, or one for another bot than `ownName`, which is in small letters. */
export function chatCommand(text: string, ownName: string): ChatCommand | undefined {
  const [, written = "", bot, rest = ""] = form.exec(text.trim()) ?? [];
  if (written === "" || (bot !== undefined && bot.toLowerCase() !== ownName)) return undefined;
  const name = written.toLowerCase();
  const argument = rest.trim();
  if (name === "confirm") return { type: "confirm", code: argument };
  const word = Object.hasOwn(words, name) ? words[name] : undefined;
  if (word === undefined) return { type: "help", unknown: name !== "help" && name !== "start" };
  const request = word.request(argument);
  const title = argument === "" ? name : `${name} ${argument.slice(0, MAX_TEXT_LENGTH)}`;
  return {
    type: "request",
    confirms: isRisky(request.command),
    line: JSON.stringify(request),
    title,
    show: (response) =>
      word.show === undefined
        ? doneText(title, response)
        : word.show(botStatus.parse(response.status)),
  };
}

/** What asks for a confirmation over HTTP; and a resume, since a chat has no page beside it that shows what the bot would do. */
function isRisky(command: ControlRequest["command"]): boolean {
  const action = Object.entries(actions).find(([name]) => name === command)?.[1];
  return command === "resume" || (action !== undefined && "confirms" in action);
}

export function helpText(unknown: boolean): string {
  const lines = Object.entries(words).map(
    ([name, { form: after, about }]) =>
      `/${name}${after === undefined ? "" : ` ${after}`}: ${about}`,
  );
  return [...(unknown ? ["There is no such command."] : []), ...lines].join("\n");
}

function only(text: string): { readonly strategy?: string } {
  return text === "" ? {} : { strategy: text };
}

function doneText(
  title: string,
  { resumed, left }: Extract<ControlResponse, { ok: true }>,
): string {
  return [
    `${title}: done.`,
    ...(resumed?.lifted ?? []).map((text) => `ended: ${text}`),
    ...(resumed?.remaining ?? []).map((text) => `not ended: ${text}`),
    ...(left ?? []).map(
      ({ strategy, marketId, position, reason }) =>
        `left: ${position} of ${strategy} in ${marketId}: ${reason}`,
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
