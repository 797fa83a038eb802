import { z } from "zod";
import { riskSteps } from "../domain/risk-step.ts";

/** Rows that several resources of the HTTP API have, and that the bot's updates to the page are made of. */

/** What a schema describes; nobody changes it. */
export type Data<Schema extends z.ZodType> = Unchanged<z.infer<Schema>>;
type Unchanged<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanged<Value[Key]> }
  : Value;

export const side = z.enum(["BUY", "SELL"]);
export const amount = z.string().describe("Decimal text.");
export const maybeAmount = amount.nullable();
export const timeMs = z.number().describe("Unix milliseconds.");
export const maybe = z.number().nullable();

/** One strategy in one of its markets. */
export const place = z.object({
  strategy: z.string(),
  name: z.string().describe("The strategy's in its own market, `maker/hedge` in another."),
  market: z.string(),
});
export const bookState = z.enum(["closed", "syncing", "live"]);
const level = z.tuple([z.number(), z.number(), z.number()]);
export const book = z.object({
  state: bookState,
  bids: z.array(level).describe("Price, quantity and own quantity, best first."),
  asks: z.array(level),
  mid: maybe,
  spread: maybe,
});
export type LadderRow = Data<typeof level>;

export const position = z.object({
  base: amount,
  averagePrice: maybeAmount,
  dayPnl: maybeAmount,
  totalPnl: maybeAmount,
  unrealisedPnl: maybeAmount,
  realisedPnl: amount,
  fees: z.record(z.string(), amount),
});
export const run = z.object({
  inventory: amount.describe("Change of the base token in this run, net of fees."),
  pnl: maybeAmount.describe("Null when it is not flat and there is no mid."),
  volume: amount.describe("Traded, in quote token."),
  parts: z
    .object({ spread: amount, inventory: amount, fees: amount })
    .nullable()
    .describe("Where the PnL comes from; null without a mid."),
});
export const risk = z.object({ step: z.enum(["normal", ...riskSteps]), reason: z.string() });
export const denied = z.array(z.object({ rule: z.string(), count: z.int(), first: z.string() }));
export const reason = z
  .object({ BUY: z.string().nullable(), SELL: z.string().nullable() })
  .describe("Why a side is not quoted; null while it is.");
export const standstill = z
  .enum(["halted", "paused"])
  .nullable()
  .describe("Alone or with the whole bot, by the operator or by risk; null while it may quote.");
export const uptime = z.object({ bid: maybe, ask: maybe, obligation: maybe }).nullable();
export const described = z.record(z.string(), z.union([z.string(), z.number()]));

const pnl = z.object({ day: maybeAmount, total: maybeAmount });
export const portfolio = z.object({
  currency: z.string().nullable(),
  pnl,
  exposure: maybeAmount,
  positions: z.record(z.string(), amount),
  pnlByToken: z.record(z.string(), pnl),
});
export const limit = z.object({
  limit: z.string(),
  of: z.string().nullable(),
  value: z.string(),
  source: z.enum(["set", "default", "derived"]),
});
export const limitUse = z.object({
  limit: z.string(),
  share: z.number().describe("1: all of it is used."),
  text: z.string().describe("Such as `3 of 20`."),
});
export type LimitUse = Data<typeof limitUse>;

export const source = z.object({
  name: z.string(),
  bid: maybe,
  ask: maybe,
  ageMs: maybe,
  lagMs: maybe,
  updates: z.int(),
  doubts: z.int(),
  problem: z.string().nullable(),
});
export const call = z.object({
  strategy: z.string(),
  hook: z.string(),
  count: z.int(),
  p50Us: z.number(),
  p99Us: z.number(),
  maxUs: z.number(),
});
export const warning = z.object({ timeMs, text: z.string() });
const net = z.object({
  name: z.string(),
  pnl: maybeAmount.describe("Of the run, in the reporting currency."),
  exposure: z.array(
    z.object({ token: z.string(), position: amount, baseSeconds: z.number(), max: amount }),
  ),
  hedges: z.object({
    count: z.int(),
    delayMs: z.object({ p50: z.number(), p90: z.number(), max: z.number() }).nullable(),
    slippageBps: maybe,
  }),
});
export const nets = z.array(net).describe("Strategies with several markets, each as a whole.");
export const guard = z
  .enum(["none", "connected", "lost"])
  .describe("`lost`: one was connected and is not any more.");
export const requests = z
  .object({ perSecond: z.number(), limit: z.number() })
  .describe("Mean of the last ten seconds, and the rate budget.");

export const balance = z.object({
  token: z.string(),
  symbol: z.string(),
  unlocked: amount,
  locked: amount,
});
export const order = z.object({
  orderId: z.string().nullable().describe("Null until it is signed."),
  side,
  price: z.number(),
  remaining: amount,
  madeMs: timeMs.describe("When its strategy decided it."),
  queueAhead: maybe.describe(
    "Estimate of what is ahead of it at its price, base token; null while it does not rest.",
  ),
  state: z.string(),
});
export type OrderRow = Data<typeof order>;

export const fill = z.object({
  fill: z.int().describe("Its number in this run of the bot, from 1."),
  orderId: z.string(),
  tradeId: z.string(),
  timeMs,
  side,
  price: amount,
  quantity: amount,
  isMaker: z.boolean(),
});
export type FillRow = Data<typeof fill>;

export const markout = z
  .object({ horizonMs: z.number(), bps: maybe, error: maybe, orders: z.int() })
  .describe("How the mid moved after this run's fills, from their prices.");
export const counts = z.object({
  placed: z.int(),
  kept: z.int(),
  replaced: z.int(),
  canceled: z.int(),
  fills: z.int(),
  rejected: z.int(),
});
const foreignOrder = z.object({
  market: z.string(),
  side,
  price: amount,
  remaining: amount,
  madeMs: timeMs,
  takers: z.array(z.string()).describe("Strategies that can take it over."),
});
export const foreign = z.object({
  count: z.int(),
  orders: z.record(z.string(), foreignOrder).describe("The first of them, by order id."),
});
