import type { FlatLevels, Trade } from "../domain/depth.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { RecordedPrint } from "../exchange/recorded-print.ts";
import type { Block, DepthLevel, TradeRecord } from "../exchange/records.ts";
import type { Input } from "../kernel/input.ts";

/** The stream inputs that one block gives the owner: own orders and account, then trades. Its depth follows on its own. */
export function blockInputs(block: Block, owner: Address): Input[] {
  const inputs: Input[] = [];
  for (const event of block.orderEvents) {
    if (event.account === owner) inputs.push({ type: "orderEvent", event });
  }
  for (const event of block.accountEvents) {
    if (event.account === owner) inputs.push({ type: "accountEvent", event });
  }
  for (const record of block.trades) inputs.push({ type: "trade", trade: tradeOf(record) });
  return inputs;
}

/** A public trade, which names its orders like the venue's unless both are recorded. */
export function tradeOf(record: TradeRecord): Trade {
  const { marketId, tradeId, price, timeMs, isBuyerMaker } = record;
  const quantity = fixedToNumber(record.quantity);
  const trade = { marketId, tradeId, price, quantity, timeMs, isBuyerMaker };
  if (record instanceof RecordedPrint) return trade;
  const { buyOrderId, sellOrderId } = record;
  return { ...trade, buyOrderId: buyOrderId as OrderId, sellOrderId: sellOrderId as OrderId };
}

/** Levels as a flat array of prices and quantities, as in market data. */
export function flat(levels: readonly DepthLevel[]): FlatLevels {
  const pairs = new Float64Array(levels.length * 2);
  let at = 0;
  for (const { price, quantity } of levels) {
    pairs[at] = price;
    pairs[at + 1] = fixedToNumber(quantity);
    at += 2;
  }
  return pairs;
}
