import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { tokensOf, type MarketId } from "../../src/domain/ids.ts";
import { addFixed, type Fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import type { Fill } from "../../src/domain/order.ts";
import { type Row, tableRows } from "../../src/journal/journal-tables.ts";
import { restore } from "../../src/journal/restore.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { Position } from "../../src/orders/position.ts";
import { orderTrade } from "../../src/spec/endpoints/order-trade.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";
import { isSoak } from "../support/soak.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** Fills that the kernel does not believe, and kills before the venue's second statement is in the journal. */

const market = "1_2" as MarketId;
/** Sellers come often and meet every bid near the mid. */
const busy = { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 100, takerNotional: 300 } };
const both = { bidSpread: "0.01%", askSpread: "0.01%", size: "0.5", levels: 2 };

/** A trade as a frame of the user stream or a row of the list of fills has it. */
type Trade = Record<"side" | "lastPrice" | "lastQty" | "executedQty" | "fee", string>;

/** When the process is killed: right after the step that doubts a fill, or around the list of fills that follows. */
const moments = [
  "after the event",
  "after the list is requested",
  "when the list arrives, before it is in the journal",
  "after the list",
] as const;
type Moment = (typeof moments)[number];

interface Lies {
  /** Changes a trade that the user stream tells; undefined: tells it as it is. */
  readonly event: (trade: Trade) => Partial<Trade> | undefined;
  /** The event follows once more, as it was. */
  readonly isRepeated?: boolean;
  /** Changes a row of the list of fills. */
  readonly list?: (trade: Trade) => Partial<Trade> | undefined;
}

const lies: Readonly<Record<string, Lies>> = {
  "a price beyond the limit": {
    event: ({ side }) => ({ lastPrice: side === "BUY" ? "1000000" : "0.01" }),
  },
  "a price beyond the limit, and then the true one": {
    event: ({ side }) => ({ lastPrice: side === "BUY" ? "1000000" : "0.01" }),
    isRepeated: true,
  },
  "a quantity beyond the size": { event: ({ lastQty }) => ({ lastQty: `9${lastQty}` }) },
  "an executed quantity beyond the size": {
    event: ({ lastQty, executedQty }) => ({
      lastQty: `9${lastQty}`,
      executedQty: `9${executedQty}`,
    }),
  },
  "a fee that cannot be": { event: () => ({ fee: "260000" }) },
  "a fee that cannot be, in events and lists": {
    event: () => ({ fee: "260000" }),
    list: () => ({ fee: "260000" }),
  },
};

interface Told {
  readonly fills: readonly Fill[];
  readonly doubts: number;
}

/** Runs a bot that is lied to until it is killed at `moment` after its first doubt. */
async function killedAt(
  world: World,
  moment: Moment,
  { event, list, isRepeated = false }: Lies,
): Promise<Told> {
  const { clock, ports } = world;
  const process = new VirtualProcess(ports);
  const fills: Fill[] = [];
  const state = { bot: undefined as Bot | undefined, doubts: 0, hasLied: false, isKilled: false };
  const kill = (): void => {
    if (state.isKilled) return;
    state.isKilled = true;
    state.bot?.observers.flush();
    process.kill();
    world.store.killed();
  };
  const lying = clock.nowMs() + 5_000;
  const changed = (data: Uint8Array, change: (text: string) => string): Uint8Array => {
    if (clock.nowMs() < lying) return data;
    const text = new TextDecoder().decode(data);
    const told = change(text);
    return told === text ? data : new TextEncoder().encode(told);
  };
  const own = {
    ...ports,
    timer: process.timer,
    connector: {
      connect: (url: string, handlers: Parameters<typeof ports.connector.connect>[1]) =>
        process.connector.connect(url, {
          ...handlers,
          frame(data) {
            const told = changed(data, (text) => eventText(text, event));
            state.hasLied ||= told !== data;
            handlers.frame(told);
            if (isRepeated && told !== data) handlers.frame(data);
          },
        }),
    },
    http: {
      close: () => process.http.close(),
      async request(request: Parameters<typeof ports.http.request>[0]) {
        const isList = request.url.includes(orderTrade.path);
        const isLast = isList && state.hasLied;
        if (isLast && moment === "after the list is requested") clock.after(0, kill);
        const response = await process.http.request(request);
        if (isLast && moment === "when the list arrives, before it is in the journal") {
          kill();
          return new Promise<never>(() => undefined);
        }
        if (!isList || list === undefined) return response;
        return { ...response, body: changed(response.body, (text) => listText(text, list)) };
      },
    },
  };
  const started = await world.settle(startLive(settingsOf(world), own));
  state.bot = started;
  started.observers.on(({ notes }) => {
    for (const note of notes) {
      if (note.type === "fill") fills.push(note.fill);
      if (note.type !== "doubt") continue;
      state.doubts += 1;
      if (moment === "after the event") clock.after(0, kill);
      if (moment === "after the list") clock.after(3_000, kill);
    }
  });
  for (let second = 0; second < 60 && !state.isKilled; second += 1) await clock.runFor(1_000);
  expect(state.isKilled).toBe(true);
  return { fills, doubts: state.doubts };
}

function settingsOf(world: World): World["settings"] {
  return {
    ...world.settings,
    risk: riskSchema.parse({}),
    strategies: world.settings.strategies.map((one) => ({
      ...one,
      params: pureMarketMaking.params.parse(both),
      writtenParams: both,
    })),
  };
}

function eventText(text: string, change: Lies["event"]): string {
  if (!text.includes('"TRADE"')) return text;
  const frame = JSON.parse(text) as { params: { result: Trade } };
  return JSON.stringify({
    ...frame,
    params: { ...frame.params, result: { ...frame.params.result, ...change(frame.params.result) } },
  });
}

function listText(text: string, change: Lies["event"]): string {
  const response = JSON.parse(text) as { result: readonly Trade[] };
  const result = response.result.map((trade) => ({ ...trade, ...change(trade) }));
  return JSON.stringify({ ...response, result });
}

function positionOf(fills: readonly Fill[]): Position {
  const { base, quote } = tokensOf(market);
  const position = new Position({ marketId: market, baseToken: base, quoteToken: quote });
  for (const fill of fills) position.apply(fill);
  return position;
}

/** The rows that `journal export` has of all runs. */
function exported({ store }: World, table: "fills" | "orders"): readonly Row[] {
  return listRuns(store, "journal").flatMap((run, at) => [
    ...tableRows(table, at + 1, entriesOfRun(store, run)),
  ]);
}

/** Runs a bot at an honest venue until all is settled, and stops it. Position, PnL, fees and exports are the venue's. */
async function expectVenues(world: World, told: readonly Told[]): Promise<void> {
  const fills = told.flatMap((one) => one.fills);
  expect(told.every(({ doubts }) => doubts > 0)).toBe(true);
  await world.clock.runFor(2_500);
  const last = await world.start(settingsOf(world));
  last.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "fill") fills.push(note.fill);
  });
  last.pause();
  await world.clock.runFor(10_000);
  const end = await stopped(world, last);
  const all = world.venue.exchange.userTrades(last.owner, {
    fromMs: 0,
    toMs: 2e12,
    limit: 100_000,
  });
  const ids = (some: readonly Pick<Fill, "orderId" | "tradeId">[]) =>
    some.map(({ orderId, tradeId }) => `${orderId} ${tradeId}`).toSorted();
  expect(ids(fills)).toEqual(ids(all));
  const expected = positionOf(all.toSorted((left, right) => left.recordId - right.recordId));
  expect(end.summary.position).toMatchObject({ base: expected.saved().base });
  const [held] = (restore(world.store, "journal").restored.carried ?? []).flatMap((item) =>
    item.type === "position" ? [item] : [],
  );
  expect({ base: held?.base, quote: held?.quote, fees: held?.fees }).toEqual({
    base: expected.saved().base,
    quote: expected.saved().quote,
    fees: expected.saved().fees,
  });
  expect(end.summary.balanceDrift).toBeUndefined();
  const rows = all.map(({ orderId, tradeId, price, quantity, fee, feeToken }) =>
    [orderId, tradeId, fixedText(price), fixedText(quantity), fixedText(fee), feeToken].join(" "),
  );
  const columns = ["orderId", "tradeId", "price", "quantity", "fee", "feeToken"];
  const exportedRows = exported(world, "fills").map((row) =>
    columns.map((column) => row[column]).join(" "),
  );
  expect(exportedRows.toSorted()).toEqual(rows.toSorted());
  const ordered = new Map(
    exported(world, "orders").map((row) => [row["orderId"], row["executed"]] as const),
  );
  const sums = new Map<string, Fixed>();
  for (const { orderId, quantity } of all) {
    sums.set(orderId, addFixed(sums.get(orderId) ?? ZERO, quantity));
  }
  for (const [orderId, sum] of sums) expect(ordered.get(orderId)).toBe(fixedText(sum));
  await expectVerified(world);
}

describe.each(Object.entries(lies))("a bot that receives a fill with %s", (name, told) => {
  const at = Object.keys(lies).indexOf(name);
  test.each(moments.filter((_, moment) => isSoak || (moment + at) % 4 === 0))(
    "and killed %s, twice in a row, has the venue's position",
    async (moment) => {
      const world = await liveWorld(9, { flow: busy });
      const first = await killedAt(world, moment, told);
      await expectVenues(world, [first, await killedAt(world, moment, told)]);
    },
  );
});
