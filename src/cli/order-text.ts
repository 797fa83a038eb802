import { Decimal } from "../domain/decimal.ts";
import { fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { legIdsOf, mainIdOf } from "../domain/leg-ids.ts";
import type { WireOrder } from "../spec/resources.ts";
import { timeText } from "./time-text.ts";

/** Formats an order for people. Fields that the venue omits (§2.5) are not shown. */

/** `1600` or `1600 fired`; empty for an order without a trigger. */
export function stopText({ triggerPrice, isTriggered }: WireOrder): string {
  if (triggerPrice === undefined || fixed(triggerPrice) === 0n) return "";
  return isTriggered === true ? `${triggerPrice} fired` : triggerPrice;
}

const legNames = {
  NONE: "",
  WORKING_LEG: "entry",
  TP_LEG: "take profit",
  SL_LEG: "stop loss",
  OCO_LEG: "one of two",
} as const;

/** `OTO entry` or `OCO take profit`; empty for an independent order. */
export function relationText({ contingencyType = "NONE", otoLegType = "NONE" }: WireOrder): string {
  const relation = contingencyType === "NONE" ? "" : contingencyType;
  return [relation, legNames[otoLegType]].filter((word) => word !== "").join(" ");
}

export function orderPriceText({ price }: WireOrder): string {
  return fixed(price) === 0n ? "market" : price;
}

export function orderQuantityText({ orderMode, origQty, origQuoteOrderQty }: WireOrder): string {
  return orderMode === 1 ? `${origQuoteOrderQty} quote` : origQty;
}

/** Average execution price, to 8 significant digits; empty before the first execution. */
export function averageText({ executedQty, executedQuoteQty }: WireOrder): string {
  if (fixed(executedQty) === 0n) return "";
  return new Decimal(executedQuoteQty).div(executedQty).toSignificantDigits(8).toFixed();
}

function executedText(order: WireOrder): string {
  const { executedQty, executedQuoteQty } = order;
  const average = averageText(order);
  return average === ""
    ? executedQty
    : `${executedQty} for ${executedQuoteQty} quote, ${average} on average`;
}

/** Orders that belong together with this one, by the ids derived in §4.4. */
function relatives({ orderId, otoLegType }: WireOrder): readonly (readonly [string, string])[] {
  const id = orderId.toLowerCase() as OrderId;
  if (otoLegType === "WORKING_LEG") {
    const { takeProfit, stopLoss } = legIdsOf(id);
    return [
      ["take profit", takeProfit],
      ["stop loss", stopLoss],
    ];
  }
  if (otoLegType !== "TP_LEG" && otoLegType !== "SL_LEG") return [];
  const main = mainIdOf(id, otoLegType);
  const { takeProfit, stopLoss } = legIdsOf(main);
  const isProfit = otoLegType === "TP_LEG";
  return [["entry", main], isProfit ? ["stop loss", stopLoss] : ["take profit", takeProfit]];
}

/** All fields of an order, as names and values. */
export function orderRows(order: WireOrder): readonly (readonly [string, string])[] {
  const stop = stopText(order);
  const relation = relationText(order);
  return [
    ["order", order.orderId],
    ["account", order.accountAddress],
    ["market", order.marketId],
    ["side", order.side],
    ["type", order.orderType],
    ["status", order.status],
    ["price", orderPriceText(order)],
    ...(stop === ""
      ? []
      : [
          [
            "stop price",
            order.isTriggered === true ? stop : `${stop}, waiting for a trade`,
          ] as const,
        ]),
    ["quantity", orderQuantityText(order)],
    ["executed", executedText(order)],
    ...(relation === "" ? [] : [["part", relation] as const]),
    ...relatives(order),
    ["created", `${timeText(order.createdAt)} UTC`],
    ["changed", `${timeText(order.updatedAt)} UTC`],
    ["transaction", order.txHash],
  ];
}
