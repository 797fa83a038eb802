import type { FlatLevels } from "../domain/depth.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import type { Block, DepthLevel } from "../exchange/records.ts";
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
  for (const { marketId, tradeId, price, quantity, timeMs, isBuyerMaker } of block.trades) {
    inputs.push({
      type: "trade",
      trade: { marketId, tradeId, price, quantity: fixedToNumber(quantity), timeMs, isBuyerMaker },
    });
  }
  return inputs;
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
