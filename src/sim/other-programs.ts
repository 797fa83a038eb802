import { assert } from "../base/assert.ts";
import { fixed } from "../domain/fixed.ts";
import { addressOf } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { MarketWatches } from "./market-watches.ts";
import { depositor, type Scenario } from "./scenario.ts";

/** Of base and of quote token. */
const AMOUNTS = ["1000", "10000000"] as const;

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
  const { oracle } = watches;
  const response = oracle.exchange.execute(
    oracle.owner,
    {
      type: "place",
      marketId: oracle.market.marketId,
      side: "BUY",
      orderType: "LIMIT",
      orderMode: 0,
      price: fixed("0.001"),
      quantity: fixed("1000"),
    },
    nowMs,
  );
  if (response.type !== "accepted") return;
  watches.tell(({ foreign }) => foreign.add(response.txHash));
}
