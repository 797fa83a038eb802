import { z } from "zod";
import { assert } from "../base/assert.ts";
import { parseFixed } from "../domain/fixed.ts";
import { isMarketId } from "../domain/market-of-ticker.ts";
import { DAY_MS } from "../domain/time.ts";
import { type ActionName, actions } from "./actions.ts";

/** Longest text of a request, characters. */
export const MAX_TEXT_LENGTH = 200;

/** Longest time that a flatten may take. */
export const MAX_FLATTEN_MS = DAY_MS;

/** Text from a command line that ends up in the log, on the page and in the journal. */
const text = z.string().min(1).max(MAX_TEXT_LENGTH);

const amount = text.refine((written) => (parseFixed(written) ?? -1n) >= 0n);

/** Folder of the journal of the bot that is meant, without symbolic links; left out: the one that listens. */
const journal = z.string().optional();

/** One line from `touchline pause`, `reduce-only`, `resume`, `stop`, `halt`, `tune`, `reload` or `status` to a running bot. */
export const controlRequest = z.discriminatedUnion("command", [
  z.strictObject({ command: z.literal("status"), journal }),
  z.strictObject({ command: z.literal("pause"), strategy: text.optional(), journal }),
  z.strictObject({ command: z.literal("reduce-only"), strategy: text.optional(), journal }),
  z.strictObject({
    command: z.literal("resume"),
    strategy: text.optional(),
    /** Counts losses from zero, so that the risk ladder does not act again at once. */
    force: z.boolean().optional(),
    journal,
  }),
  z.strictObject({
    command: z.literal("stop"),
    /** Leaves its orders open for the next start. */
    keepsOrders: z.boolean().optional(),
    journal,
  }),
  z.strictObject({
    command: z.literal("flatten"),
    strategy: text.optional(),
    /** As of the kernel's input. */
    maxSlippage: z.number().min(0).max(0.5),
    withinMs: z.number().min(1).max(MAX_FLATTEN_MS),
    journal,
  }),
  z.strictObject({
    command: z.literal("halt"),
    strategy: text.optional(),
    reason: text,
    journal,
  }),
  z.strictObject({
    command: z.literal("cancel"),
    strategy: text.optional(),
    /** Foreign orders of the account, too, where no strategy is named. Left out: every own order that is open now. */
    orderIds: z.array(text).min(1).max(1_000).readonly().optional(),
    journal,
  }),
  z.strictObject({ command: z.literal("take-over"), strategy: text, orderId: text, journal }),
  /** `settings`: `key=value` of parameters. */
  z.strictObject({
    command: z.literal("tune"),
    strategy: text,
    settings: z.array(z.string().min(1).max(10_000)).min(1).max(1_000).readonly(),
    journal,
  }),
  /** Makes a one-time link that logs a browser in to the page. */
  z.strictObject({ command: z.literal("login"), role: z.enum(["read", "control"]), journal }),
  /** A trade that was made by hand: exact amounts, the fee in `feeToken`. */
  z.strictObject({
    command: z.literal("book"),
    strategy: text,
    trade: z.strictObject({
      marketId: text.refine(isMarketId),
      side: z.enum(["BUY", "SELL"]),
      price: amount,
      quantity: amount,
      fee: amount,
      timeMs: z.int().min(0),
      tradeId: z.string().max(MAX_TEXT_LENGTH),
    }),
    journal,
  }),
  /** Takes the parameters that the bot's file has now. */
  z.strictObject({ command: z.literal("reload"), journal }),
  /** From `touchline guard`: the connection stays open (`guard-protocol.ts`). */
  z.strictObject({ command: z.literal("guard"), journal }),
]);
export type ControlRequest = z.infer<typeof controlRequest>;
export type HandTrade = Extract<ControlRequest, { command: "book" }>["trade"];

const confirm = z.literal(true, {
  error: "must be true, since this action asks for a confirmation",
});

/** The body of an action over HTTP: the request without what the address says. */
export function actionBody(name: ActionName): z.ZodObject {
  const request = controlRequest.options.find(({ shape }) => shape.command.value === name);
  assert(request !== undefined, "every action is a request");
  const { command: _, journal: __, ...shape } = request.shape as z.ZodRawShape;
  return z.strictObject("confirms" in actions[name] ? { ...shape, confirm } : shape);
}

/** What a resume ended and what it left, as sentences. */
const resumed = z.object({
  lifted: z.array(z.string()).readonly(),
  remaining: z.array(z.string()).readonly(),
  /** The strategies of whose own stops there are some in `remaining`. */
  stopped: z.array(z.string()).readonly(),
});

/** What a flatten left, as of the kernel. */
const leftPosition = z.object({
  strategy: z.string(),
  marketId: z.string(),
  position: z.string(),
  isDust: z.boolean(),
  orders: z.array(z.string()).readonly(),
  reason: z.string(),
});
export type LeftPosition = z.infer<typeof leftPosition>;

export type Resumed = z.infer<typeof resumed>;

/** The strategies whose parameters were changed, and what they say about the new ones. */
const tuned = z.object({
  changed: z.array(z.string()).readonly(),
  warnings: z.array(z.string()).readonly(),
});
export type Tuned = z.infer<typeof tuned>;

/**
 * The bot's line in return. `ordersLeft`: ids of own orders that the command should have ended and that are still open or unknown, `intent N`
 * before the signing.
 */
export const controlResponse = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    status: z.unknown().optional(),
    resumed: resumed.optional(),
    tuned: tuned.optional(),
    /** Ids of the orders that a stop has left open. */
    ordersKept: z.array(z.string()).optional(),
    left: z.array(leftPosition).optional(),
    /** The address of a login. */
    link: z.string().optional(),
  }),
  z.object({
    ok: z.literal(false),
    message: z.string(),
    ordersLeft: z.array(z.string()).default([]),
    resumed: resumed.optional(),
    /** The request names a strategy that the bot does not have. */
    isUsage: z.literal(true).optional(),
  }),
]);
export type ControlResponse = z.infer<typeof controlResponse>;
