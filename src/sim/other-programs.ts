import { assert } from "../base/assert.ts";
import {
  addFixed,
  fixed,
  type Fixed,
  fixedToNumber,
  mulFixed,
  subFixed,
  ZERO,
} from "../domain/fixed.ts";
import { addressOf, type OrderId } from "../domain/ids.ts";
import { rulesOf } from "../domain/rules-of.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";
import type { OrderByHand } from "./fault-target.ts";
import type { MarketWatches } from "./market-watches.ts";
import { depositor, type Scenario } from "./scenario.ts";
import type { SimulatedBot } from "./simulated-bot.ts";

/** Of base and of quote token. */
const AMOUNTS = ["1000", "10000000"] as const;

/** How often the operator looks. */
const LOOK_MS = 1_000;

/** Another account sends the bot's far more than it holds, but not before limits that are to be derived are. */
export function deposit(watches: MarketWatches, scenario: Scenario, nowMs: UnixMs): void {
  const { coverage, oracle } = watches;
  const limits = scenario.secondMarket === undefined ? 3 : 5;
  const derived = coverage.reached.get("limit LIMIT_DERIVED") ?? 0;
  if (scenario.derivesLimits && derived < limits) return;
  const { baseToken, quoteToken } = oracle.market;
  const from = addressOf(depositor);
  assert(from !== undefined, "an address");
  for (const [at, tokenId] of [baseToken, quoteToken].entries()) {
    const amount = fixed(AMOUNTS[at] ?? "0");
    const transfer = { type: "token-transfer", to: oracle.owner, tokenId, amount } as const;
    if (oracle.exchange.execute(from, transfer, nowMs).type !== "accepted") continue;
    coverage.reach("deposit");
    watches.tell(({ deposits }) => deposits.add(tokenId, amount));
  }
}

/** Another program places an order on the bot's account, far from the market. */
export function placeForeignOrder(watches: MarketWatches, nowMs: UnixMs): void {
  placeOn(watches, { side: "BUY", price: fixed("0.001"), quantity: fixed("1000") }, nowMs);
}

/** Another account trades through the book until it has filled this share of a quote that is behind others at its price. */
export function fillInPart(
  { oracle, coverage }: MarketWatches,
  orderId: OrderId,
  { share, nowMs }: { readonly share: number; readonly nowMs: UnixMs },
): void {
  const { exchange } = oracle;
  const order = exchange.order(orderId);
  const market = exchange.markets.find(({ marketId }) => marketId === order?.marketId);
  const taker = addressOf(depositor);
  if (order?.status !== "NEW" || order.isTrigger || market === undefined) return;
  assert(taker !== undefined, "an address");
  const { marketId, price, side, origQty } = order;
  const isBid = side === "BUY";
  const { bids, asks } = exchange.book(marketId, Number.MAX_SAFE_INTEGER);
  const limit = fixedToNumber(price);
  let before: Fixed = ZERO;
  for (const level of isBid ? bids : asks) {
    if (isBid ? level.price >= limit : level.price <= limit) {
      before = addFixed(before, level.quantity);
    }
  }
  const left = mulFixed(origQty, fixed((1 - share).toFixed(8)));
  const quantity = rulesOf(market).roundSize(subFixed(before, left));
  const terms = { side: isBid ? "SELL" : "BUY", price, quantity, orderMode: 0 } as const;
  exchange.execute(taker, { type: "place", marketId, orderType: "LIMIT", ...terms }, nowMs);
  if (exchange.order(orderId)?.status === "PARTIALLY_FILLED")
    coverage.reach("order filled in part");
}

function placeOn(
  watches: MarketWatches,
  terms: { readonly side: Side; readonly price: Fixed; readonly quantity: Fixed },
  nowMs: UnixMs,
): OrderId | undefined {
  const { exchange, owner, market } = watches.oracle;
  const { marketId } = market;
  const command = { type: "place", marketId, orderType: "LIMIT", orderMode: 0, ...terms } as const;
  const response = exchange.execute(owner, command, nowMs);
  if (response.type !== "accepted") return undefined;
  watches.tell(({ foreign }) => foreign.add(response.txHash));
  return response.txHash;
}

/** Faults that may take from the journal that an order was taken over: one trouble at a time (docs/fault-model.md). */
const losesEntries: readonly string[] = [
  "power-cut",
  "power-cut-while-starting",
  "power-cut-after-order",
  "disk-full",
];

interface HandWorld {
  readonly watches: MarketWatches;
  readonly scenario: Scenario;
  readonly bot: Pick<SimulatedBot, "disposeOf">;
  readonly timer: Timer;
  readonly nowMs: UnixMs;
}

/** As in `FaultTarget`. The operator tells the bot again while it shows the order, since one that was killed may not have done it. */
export function placeByHand(
  { side, away, sizeShare, fate, afterMs, taker }: OrderByHand,
  { watches, scenario, bot, timer, nowMs }: HandWorld,
): (() => void) | undefined {
  const { exchange, market } = watches.oracle;
  if (scenario.faults.some(({ name }) => losesEntries.includes(name))) return undefined;
  const rules = rulesOf(market);
  const { bids, asks } = exchange.book(market.marketId, 1);
  const best = (side === "BUY" ? bids : asks)[0]?.price;
  if (best === undefined) return undefined;
  const price =
    side === "BUY" ? rules.roundDown(best * (1 - away)) : rules.roundUp(best * (1 + away));
  const quantity = rules.roundSize(fixed((Number(scenario.maxPosition) * sizeShare).toFixed(8)));
  const orderId = placeOn(watches, { side, price: fixed(String(price)), quantity }, nowMs);
  if (orderId === undefined || fate === "left") return undefined;
  const look = (): void => {
    if (bot.disposeOf(orderId, fate, taker) && fate === "canceled") {
      watches.coverage.reach("operator canceled a foreign order");
      watches.tell(({ givenUp }) => givenUp.add(orderId));
    }
    next = timer.after(LOOK_MS, look);
  };
  let next: TimerHandle = timer.after(afterMs, look);
  return () => next.cancel();
}
