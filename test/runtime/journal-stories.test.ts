import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { isCommand } from "../../src/domain/command.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { BatchEntry } from "../../src/journal/entry.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import type { StrategyBinding } from "../../src/kernel/config.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { parseFixed } from "../../src/domain/fixed.ts";
import { momentStory } from "../../src/runtime/moment-story.ts";
import { orderStory, type StoryEvent } from "../../src/runtime/order-story.ts";
import { rerun, type RerunStep } from "../../src/runtime/rerun.ts";
import { liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

function steps(world: World, bindings: readonly StrategyBinding[] = strategies) {
  const run = listRuns(world.store, "journal").at(-1);
  if (run === undefined) throw new Error("no run in the journal");
  return rerun(run.header, entriesOfRun(world.store, run), bindings);
}

function batches(world: World): readonly BatchEntry[] {
  return [...steps(world)].map(({ entry }) => entry);
}

function idsOf(world: World, type: "place" | "cancel"): readonly OrderId[] {
  return batches(world).flatMap(({ effects, signed }) =>
    effects.filter(isCommand).flatMap((effect) => {
      if (effect.type === "cancel") return type === "cancel" ? [effect.orderId] : [];
      const made = signed.find(({ intent }) => intent === effect.intent);
      return effect.type === type && made !== undefined ? [made.txHash] : [];
    }),
  );
}

function kindsOf(events: readonly StoryEvent[]): readonly string[] {
  return events.map(({ what }) => what);
}

let world: World;
/** So near to the mid that orders are filled. */
const near = { bidSpread: "0.005%", askSpread: "0.005%", size: "0.5", levels: 2, refresh: "2s" };
const strategies = strategiesOf([{ name: "maker" }]).map((settings) => ({
  ...settings,
  params: pureMarketMaking.params.parse({ ...near, levelSpread: "0.05%", tolerance: "0.02%" }),
}));

let resumedMs = 0;

beforeAll(async () => {
  world = await liveWorld(1);
  const bot = await world.start({ strategies });
  await world.clock.runFor(30_000);
  resumedMs = world.clock.nowMs();
  bot.resume(undefined, false, { who: "ops", from: "127.0.0.1" });
  await world.clock.runFor(30_000);
  await stopped(world, bot);
});

describe("the re-run of a journal", () => {
  it("follows the recording, and tells what the strategy saw and decided", () => {
    const all: readonly RerunStep[] = [...steps(world)];
    expect(all.every(({ isFaithful }) => isFaithful)).toBe(true);
    const set = all.flatMap(({ decided }) => decided).find(({ type }) => type === "set");
    expect(set).toMatchObject({ strategy: "maker", tolerance: 0.0002, position: "0" });
    expect(set?.quotes).toHaveLength(4);
    expect(set?.mid).toBeGreaterThan(0);
  });

  it("has nothing to tell from the batch on where the strategy decides differently", () => {
    const quiet = strategies.map((binding) => ({
      ...binding,
      definition: {
        ...binding.definition,
        decide: () => ({ type: "keep", wakeAtMs: undefined }) as const,
      },
    }));
    const all = [...steps(world, quiet)];
    const left = all.findIndex(({ isFaithful }) => !isFaithful);
    expect(left).toBeGreaterThan(0);
    expect(all.slice(left).flatMap(({ notes, decided }) => [...notes, ...decided])).toEqual([]);
  });
});

describe("the story of an order", () => {
  it("has its decision, command, response, states and end, in order", () => {
    const canceled = new Set(idsOf(world, "cancel"));
    const id = idsOf(world, "place").find((placed) => canceled.has(placed));
    const events = orderStory(steps(world), id ?? ("0x" as OrderId));
    const kinds = kindsOf(events);
    expect(kinds.slice(0, 2)).toEqual(["decision", "placement"]);
    expect(kinds).toEqual(expect.arrayContaining(["response", "report", "state", "cancel"]));
    expect(kinds.indexOf("response")).toBeLessThan(kinds.indexOf("cancel"));
    const placement = events[1]?.data;
    expect(placement).toMatchObject({ txHash: id, nonce: expect.any(Number), quantity: "0.5" });
    expect(events.findLast(({ what }) => what === "state")?.data).toMatchObject({
      state: "ended",
      status: "CANCELED",
    });
    const times = events.map(({ timeMs }) => timeMs);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
  });

  it("has the fills of a filled order", () => {
    const filled = batches(world)
      .flatMap(({ batch }) => batch.inputs)
      .find((input) => input.type === "orderEvent" && input.event.fill !== undefined);
    const id = filled?.type === "orderEvent" ? filled.event.order.orderId : undefined;
    const events = orderStory(steps(world), id ?? ("0x" as OrderId));
    expect(kindsOf(events)).toContain("fill");
    expect(events.find(({ what }) => what === "fill")?.data).toMatchObject({ isMaker: true });
  });

  it("is empty for an order that the run does not know", () => {
    expect(orderStory(steps(world), `0x${"9".repeat(64)}` as OrderId)).toEqual([]);
  });

  it("has what the risk rules denied on its side just before", async () => {
    const tight = await liveWorld(4);
    const risk = riskSchema.parse({ maxOpenOrders: 3 });
    const bot = await tight.start({ risk, strategies });
    await tight.clock.runFor(10_000);
    await stopped(tight, bot);
    const stories = idsOf(tight, "place").map((id) => orderStory(steps(tight), id));
    const denied = stories.flat().find(({ what }) => what === "denied");
    expect(denied?.text).toContain("max-open-orders");
    expect(parseFixed(String(denied?.data["quantity"]))).toBeDefined();
  });
});

describe("the story of a moment", () => {
  it("has targets and orders as they were, and the events of the second around it", () => {
    const all = batches(world);
    const middle = all[Math.floor(all.length / 2)];
    const atMs = middle?.batch.nowMs ?? 0;
    const { seq, strategies, events, isFaithful } = momentStory(steps(world), atMs);
    expect(isFaithful).toBe(true);
    expect(seq).toBeGreaterThanOrEqual(middle?.batch.seq ?? 0);
    expect(strategies).toMatchObject([{ strategy: "maker", targets: { type: "set" } }]);
    expect(strategies[0]?.orders.length).toBeGreaterThan(0);
    expect(events.every(({ timeMs }) => Math.abs(timeMs - atMs) <= 500)).toBe(true);
    expect(events.map(({ what }) => what)).toContain("inputs");
  });

  it("has the book of the moment, with the own orders in it", () => {
    const all = batches(world);
    const atMs = all[Math.floor(all.length / 2)]?.batch.nowMs ?? 0;
    const [maker] = momentStory(steps(world), atMs).strategies;
    const [bestBid] = maker?.book?.bids ?? [];
    const [bestAsk] = maker?.book?.asks ?? [];
    expect(bestBid?.[0]).toBeLessThan(bestAsk?.[0] ?? 0);
    const prices = [...(maker?.book?.bids ?? []), ...(maker?.book?.asks ?? [])].map(([at]) => at);
    const resting = maker?.orders.filter(({ state }) => state === "working") ?? [];
    expect(resting.some(({ price }) => prices.includes(price))).toBe(true);
    const [first] = all;
    expect(momentStory(steps(world), first?.batch.nowMs ?? 0).strategies[0]?.book).toBeNull();
  });

  it("has the operator's command, with who gave it and from where", () => {
    const { events } = momentStory(steps(world), resumedMs);
    expect(events.find(({ what }) => what === "operator")).toMatchObject({
      text: "resume by ops, 127.0.0.1",
      data: { command: "resume", by: { who: "ops", from: "127.0.0.1" } },
    });
  });

  it("says why a side was not quoted", () => {
    const [first] = batches(world);
    const story = momentStory(steps(world), (first?.batch.nowMs ?? 0) + 1);
    expect(story.strategies[0]?.notQuoted).toEqual({
      BUY: expect.any(String),
      SELL: expect.any(String),
    });
  });

  it("has no batch before the run began", () => {
    expect(momentStory(steps(world), 0)).toMatchObject({
      seq: undefined,
      strategies: [],
      events: [],
    });
  });
});
