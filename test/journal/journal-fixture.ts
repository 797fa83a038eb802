import type { PlaceCommand } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../../src/domain/ids.ts";
import type { Fill, OrderReport, OrderStatus } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry, RunHeader } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { MemoryStore } from "../../src/sim/memory-store.ts";
import { testKernelConfig } from "../support/kernel-config.ts";

/** Records that tests write into journals. */

export const owner = `0x${"a".repeat(40)}` as Address;
export const market = "1_2" as MarketId;

export function headerOf(runId: string): RunHeader {
  const { strategies: _, ...kernel } = testKernelConfig("run", {
    owner,
    markets: [],
    strategies: [],
  });
  return {
    runId,
    startedAtMs: unixMs(1),
    codeVersion: "test",
    configText: "",
    chainId: 1001,
    signer: owner,
    kernel,
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

export function idOf(number: number): OrderId {
  return `0x${number.toString(16).padStart(64, "0")}` as OrderId;
}

/** A fill of a bid of `place`. */
export function fill(id: OrderId, tradeId: string, quantity: string): Fill {
  return {
    tradeId,
    orderId: id,
    marketId: market,
    side: "BUY",
    price: fixed("100"),
    quantity: fixed(quantity),
    fee: fixed("0"),
    feeToken: "1" as TokenId,
    isMaker: true,
    timeMs: unixMs(2),
  };
}

/** A batch whose commands are signed; the hash of each is `idOf` its intent. */
export function entry(
  seq: number,
  inputs: readonly Input[],
  effects: readonly Effect[] = [],
  ended: readonly OrderId[] = [],
): BatchEntry {
  const signed = effects.flatMap((effect) =>
    effect.type === "place" || effect.type === "cancel"
      ? [{ intent: effect.intent, txHash: idOf(effect.intent), bytesHex: "0xabcd" }]
      : [],
  );
  return { batch: { seq, nowMs: unixMs(seq), inputs }, effects, signed, ended, booked: [] };
}

/** Records a run of `segments` segments with ten batches each in the folder `j`. */
export function recordRun(store: MemoryStore, runId: string, segments: number): void {
  const { restored } = restore(store, "j");
  const header = headerOf(runId);
  const journal = new Journal({ store, folder: "j", header, restored, segmentBytes: 1 });
  for (let seq = 1; seq <= segments * 10; seq += 1) {
    journal.append({
      batch: { seq, nowMs: unixMs(seq), inputs: [] },
      effects: [place(seq)],
      signed: [{ intent: seq, txHash: idOf(seq), bytesHex: `0x${"5a".repeat(200)}` }],
      ended: [idOf(seq)],
      booked: [],
    });
    if (seq % 10 === 0 && seq < segments * 10) journal.maintain();
  }
  void journal.close();
}

/** Replaces a file's content. */
export function overwrite(store: MemoryStore, file: string, bytes: Uint8Array): void {
  const out = store.openAppend(file, { truncateTo: 0 });
  if (bytes.length > 0) out.append(bytes);
  out.close();
}
