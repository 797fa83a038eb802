import type { PlaceCommand } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { Address, MarketId, OrderId } from "../../src/domain/ids.ts";
import type { OrderReport, OrderStatus } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { RunHeader } from "../../src/journal/entry.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import { defaultRisk } from "../../src/risk/settings.ts";

/** Records that tests write into journals. */

const owner = `0x${"a".repeat(40)}` as Address;
export const market = "1_2" as MarketId;

export function headerOf(runId: string): RunHeader {
  return {
    runId,
    startedAtMs: unixMs(1),
    codeVersion: "test",
    configText: "",
    chainId: 1001,
    signer: owner,
    kernel: {
      owner,
      rate: { perSecond: 20, burst: 40, concurrency: 8 },
      risk: defaultRisk,
      timing: defaultTiming,
      probeOrderId: undefined,
    },
    markets: [],
    strategies: [],
  };
}

export function place(intent: number): PlaceCommand {
  return {
    type: "place",
    intent,
    nonce: 1_700_000_000_000 + intent,
    strategy: "maker",
    marketId: market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: 100,
    quantity: fixed("2"),
  };
}

export function report(id: OrderId, status: OrderStatus): OrderReport {
  return {
    orderId: id,
    account: owner,
    marketId: market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed("100"),
    origQty: fixed("2"),
    origQuoteOrderQty: fixed("0"),
    executedQty: fixed("0"),
    executedQuoteQty: fixed("0"),
    status,
    createdAtMs: unixMs(1),
    updatedAtMs: unixMs(1),
  };
}
