import { errorText } from "../base/error-text.ts";
import { assert } from "../base/assert.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import type { Timer } from "../ports/clock.ts";
import type { LineConnection } from "../ports/line-connection.ts";
import { fillByHand, invalidTrade } from "./hand-trade.ts";
import { jsonOf } from "../base/json-of.ts";
import type { ControlledBot, RunningBot } from "./controlled-bot.ts";
import {
  controlRequest,
  type ControlRequest,
  type ControlResponse,
  type Tuned,
} from "./protocol.ts";

/** How long a pause or a halt may take until its orders have ended. */
const CANCEL_MS = 10_000;
const LOOK_MS = 50;
const LOST =
  "the bot is ending, and its next start may not know of this: `touchline halt` holds over restarts";

/** Does what one line asks and returns the line in return, once it is done, or what takes over the connection of a guard. */
export async function respondTo(
  line: string,
  { bot, timer, by }: Steering & { readonly bot: ControlledBot },
): Promise<string | ((connection: LineConnection) => void)> {
  const parsed = controlRequest.safeParse(jsonOf(line));
  if (!parsed.success) return JSON.stringify(failed("this bot does not know such a request"));
  const request = parsed.data;
  const refusal = refusalOf(request, bot);
  if (refusal !== undefined) return JSON.stringify(failed(refusal));
  const unknown = unknownStrategy(request, bot);
  if (unknown !== undefined) return JSON.stringify({ ...failed(unknown), isUsage: true });
  if (request.command !== "guard")
    return JSON.stringify(await carryOut(request, bot, { timer, by }));
  return bot.addGuard ?? JSON.stringify(failed("this bot sends nothing, so it needs no guard"));
}

function failed(message: string): ControlResponse {
  return { ok: false, message, ordersLeft: [] };
}

/** What reaches a bot that is starting or ending, too. */
type AnyTime = Extract<ControlRequest, { command: "status" | "login" | "halt" | "stop" | "guard" }>;

function isAnyTime(request: ControlRequest): request is AnyTime {
  return ["status", "login", "halt", "stop", "guard"].includes(request.command);
}

/** Why this bot is not meant; undefined when it is. */
function refusalOf(request: ControlRequest, bot: ControlledBot): string | undefined {
  if (request.journal !== undefined && request.journal !== bot.journal) {
    return `another bot listens at this socket, that of the journal in ${bot.journal}; nothing was done`;
  }
  const isOfStrategy = request.command === "halt" && request.strategy !== undefined;
  if (isAnyTime(request) && !isOfStrategy) return undefined;
  if (bot.running === undefined) {
    return "this bot is still starting: only `touchline halt` and `touchline stop` reach it; nothing was done";
  }
  return bot.running.bot.isEnding && request.command !== "pause"
    ? "this bot is ending; nothing was done"
    : undefined;
}

function unknownStrategy(request: ControlRequest, bot: ControlledBot): string | undefined {
  if (!("strategy" in request) || request.strategy === undefined) return undefined;
  if (bot.strategies.includes(request.strategy)) return undefined;
  return `this bot has no strategy ${request.strategy}, only ${bot.strategies.join(", ")}`;
}

interface Steering {
  readonly timer: Timer;
  readonly by: CommandOrigin;
}

async function carryOut(
  request: Exclude<ControlRequest, { command: "guard" }>,
  bot: ControlledBot,
  { timer, by }: Steering,
): Promise<ControlResponse> {
  if (!isAnyTime(request)) {
    assert(bot.running !== undefined, "others were refused");
    return steer(request, bot.running, { timer, by });
  }
  switch (request.command) {
    case "status":
      return { ok: true, status: bot.status() };
    case "login":
      return bot.login(request.role).then((link) => ({ ok: true, link }), failedBy);
    case "halt": {
      const running = bot.running?.bot;
      const halted = bot.halt(request.reason, request.strategy, by);
      const open = (): readonly string[] => running?.openOrders("all", request.strategy) ?? [];
      const canceled = await untilNone(open, timer);
      const problem = await halted;
      if (problem === undefined || !canceled.ok) return canceled;
      return failed(problem);
    }
    case "stop": {
      const { ok, reason, inQuestion, kept } = await bot.stop(request.keepsOrders === true, by);
      if (ok) return { ok, ordersKept: [...kept] };
      return { ok, message: reason, ordersLeft: [...inQuestion] };
    }
  }
}

async function steer(
  request: Exclude<ControlRequest, AnyTime>,
  { bot, tuner }: NonNullable<ControlledBot["running"]>,
  { timer, by }: Steering,
): Promise<ControlResponse> {
  switch (request.command) {
    case "resume": {
      const { problem, ...resumed } = bot.resume(request.strategy, request.force, by);
      return problem === undefined ? { ok: true, resumed } : { ...failed(problem), resumed };
    }
    case "pause": {
      bot.pause(request.strategy, by);
      const canceled = await untilNone(() => bot.openOrders("quotes", request.strategy), timer);
      return canceled.ok && bot.isEnding ? failed(LOST) : canceled;
    }
    case "reduce-only":
      bot.reduceOnly(request.strategy, by);
      await wait(timer);
      return bot.isEnding ? failed(LOST) : { ok: true };
    case "flatten": {
      const { maxSlippage, withinMs, strategy } = request;
      bot.flatten({ maxSlippage, withinMs }, strategy, by);
      return untilFlat(bot, timer, { strategy, withinMs });
    }
    case "cancel": {
      const { strategy, orderIds } = request;
      const openOf = (): readonly string[] => [
        ...bot.openOrders("all", strategy),
        ...(strategy === undefined && orderIds !== undefined
          ? bot.foreignOrders.map(({ orderId }) => orderId)
          : []),
      ];
      const open = openOf();
      const unknown = orderIds?.filter((id) => !open.includes(id)) ?? [];
      if (unknown.length > 0) {
        return failed(`there is no open order ${unknown.join(", ")}; nothing was canceled`);
      }
      // Meanwhile the strategies may have placed others.
      const named = new Set(orderIds ?? open);
      bot.cancel(orderIds, strategy, by);
      return untilNone(() => openOf().filter((id) => named.has(id)), timer);
    }
    case "take-over": {
      const { strategy, orderId } = request;
      const found = bot.foreignOrders.find((order) => order.orderId === orderId);
      if (found === undefined)
        return failed(`the account has no open foreign order ${orderId}; nothing was taken over`);
      if (!found.takers.includes(strategy))
        return failed(
          `${strategy} does not trade in the market of order ${orderId}, or it is no plain limit order; nothing was taken over`,
        );
      if (!bot.takeOver(strategy, orderId, by)) {
        return failed(`the order ${orderId} was given to a strategy already`);
      }
      await wait(timer);
      return bot.isEnding ? failed(LOST) : { ok: true };
    }
    case "book": {
      const { strategy, trade } = request;
      const problem = invalidTrade(trade) ?? bot.book(strategy, fillByHand(trade), by);
      if (problem !== undefined) return failed(`${problem}; nothing was booked`);
      await wait(timer);
      return bot.isEnding
        ? failed("the bot is ending, and its journal may lack the trade")
        : { ok: true };
    }
    case "tune":
      return tunedBy(tuner.tune(request.strategy, request.settings, by));
    case "reload":
      return tunedBy(tuner.reload(by));
  }
}

/** Until the bot has made the step that a request causes. */
async function wait(timer: Timer): Promise<void> {
  await new Promise<void>((resolve) => {
    timer.after(LOOK_MS, resolve);
  });
}

async function tunedBy(tuning: Promise<Tuned>): Promise<ControlResponse> {
  try {
    return { ok: true, tuned: await tuning };
  } catch (thrown) {
    return failedBy(thrown);
  }
}

function failedBy(thrown: unknown): ControlResponse {
  return failed(errorText(thrown));
}

/** Waits until the positions are worked off, or the time for it is over. */
export async function untilFlat(
  bot: Pick<RunningBot, "flattened" | "isEnding">,
  timer: Timer,
  { strategy, withinMs }: { readonly strategy: string | undefined; readonly withinMs: number },
): Promise<ControlResponse> {
  for (let waitedMs = 0; waitedMs < withinMs + CANCEL_MS && !bot.isEnding; waitedMs += LOOK_MS) {
    await wait(timer);
    const left = bot.flattened(strategy);
    if (left !== undefined) return { ok: true, left: [...left] };
  }
  return failed("the bot ended, or did not run, before its positions were worked off");
}

/** Waits until the orders have ended, for at most ten seconds. */
async function untilNone(open: () => readonly string[], timer: Timer): Promise<ControlResponse> {
  for (let waitedMs = 0; waitedMs < CANCEL_MS; waitedMs += LOOK_MS) {
    // First a pause, so that the bot has made the step that the request caused.
    await wait(timer);
    if (open().length === 0) return { ok: true };
  }
  const ordersLeft = [...open()];
  const message = `the orders are not all known to have ended within ${CANCEL_MS / 1000} s; the bot keeps trying`;
  return { ok: false, message, ordersLeft };
}
