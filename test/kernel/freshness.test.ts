import { describe, expect, it } from "vitest";
import { riskSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { ChannelVenue, type Part } from "./channel-venue.ts";
import { market } from "./harness.ts";

const { marketId } = market;
const STALE_MS = 10_000;

/** A quote on each side, ten from the mid, moved when the mid has. */
function around({ book }: MarketView) {
  const mid = book.mid ?? 0;
  return setQuotes({
    bids: [{ price: Math.floor(mid - 10), size: "1" }],
    asks: [{ price: Math.ceil(mid + 10), size: "1" }],
  });
}

function venue(...dead: Part[]): ChannelVenue {
  const made = new ChannelVenue(around).run(5_000);
  for (const part of dead) made.dead.add(part);
  return made;
}

const reasonsOf = ({ bot }: ChannelVenue): string[] =>
  bot.notes.flatMap((note) =>
    note.type === "quoteReason" && note.reason !== undefined ? [note.reason] : [],
  );

const channelsOf = ({ bot }: ChannelVenue): string[] =>
  bot.notes.flatMap((note) =>
    note.type === "channel" ? [`${note.channel.kind} ${note.state} ${note.reason}`.trim()] : [],
  );

/** In how many of these seconds both sides rested at the venue. */
function quotedSeconds(
  made: ChannelVenue,
  seconds: number,
  everySecond?: (at: number) => void,
): number {
  let quoted = 0;
  for (let at = 0; at < seconds; at += 1) {
    everySecond?.(at);
    made.run(1_000);
    if (made.resting.length === 2) quoted += 1;
  }
  return quoted;
}

describe("a healthy market", () => {
  it("costs no read but the periodic ones", () => {
    const made = venue();
    const fromMs = made.nowMs;
    expect(quotedSeconds(made, 60)).toBe(60);
    expect(made.since(fromMs, "book", "order", "fills")).toEqual([]);
    expect(made.since(fromMs, "openOrders").length).toBeLessThanOrEqual(2);
    expect(channelsOf(made)).toEqual([]);
  });

  it("in which nothing changes keeps its quotes, by a book and lists that are read twice within their limit", () => {
    const made = venue("snapshots");
    made.isQuiet = true;
    const fromMs = made.nowMs;
    expect(quotedSeconds(made, 60)).toBe(60);
    const books = made.since(fromMs, "book").length;
    expect(books).toBeGreaterThanOrEqual(60_000 / STALE_MS);
    expect(books).toBeLessThanOrEqual((2.5 * 60_000) / STALE_MS);
    expect(channelsOf(made)).toEqual([]);
  });
});

describe("a depth channel that is dead", () => {
  it("costs no quote: decisions follow the books that are read over REST", () => {
    const made = venue("depth");
    const fromMs = made.nowMs;
    const quoted = quotedSeconds(made, 60, (at) => {
      if (at % 10 === 0) made.move(5);
    });
    expect(quoted).toBeGreaterThan(55);
    expect(reasonsOf(made).filter((reason) => reason.includes("older"))).toEqual([]);
    expect(made.resting).toEqual(["BUY 2020", "SELL 2040"]);
    expect(made.since(fromMs, "book").length).toBeGreaterThan(15);
  });

  it("is subscribed to anew after two corrections in a row, and then gets new connections after growing waits", () => {
    const made = venue("depth");
    const fromMs = made.nowMs;
    made.run(60_000);
    const healing = made.effects.filter(
      ({ atMs, effect }) => atMs >= fromMs && ["resubscribe", "reconnect"].includes(effect.type),
    );
    expect(healing.map(({ effect }) => effect.type).slice(0, 4)).toEqual([
      "resubscribe",
      "reconnect",
      "reconnect",
      "reconnect",
    ]);
    const waits = healing.slice(1).map(({ atMs }, at) => atMs - (healing[at]?.atMs ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(5_000);
    expect(waits[2]).toBeGreaterThan(waits[1] ?? 0);
    expect(channelsOf(made)[0]).toContain("depth behind a snapshot is newer than the book");
    made.dead.clear();
    made.run(5_000);
    expect(channelsOf(made).at(-1)).toBe("depth live");
  });

  it("pulls the quotes within staleBook when its book cannot be read either", () => {
    const made = venue("depth", "snapshots", "reads");
    made.run(STALE_MS + 500);
    expect(made.resting).toEqual([]);
    expect(reasonsOf(made).at(-1)).toContain("the book may be older than 10s");
    made.dead.clear();
    made.run(5_000);
    expect(made.resting).toHaveLength(2);
  });

  it("with all market data silent is found by a book over REST", () => {
    const made = venue("depth", "snapshots", "trades");
    const quoted = quotedSeconds(made, 60, (at) => {
      if (at % 10 === 0) made.move(5);
    });
    expect(quoted).toBeGreaterThan(50);
    expect(made.resting).toEqual(["BUY 2020", "SELL 2040"]);
    expect(made.since(0, "resubscribe").length).toBeGreaterThan(0);
  });
});

describe("a user channel that is dead", () => {
  it.each<[string, Part[]]>([
    ["alone", ["user"]],
    ["with the trade channel", ["user", "trades"]],
  ])("%s: after each fill the quotes are back within 5 s, and none is pulled", (_, dead) => {
    const made = venue(...dead);
    for (let round = 0; round < 8; round += 1) {
      made.run(7_000);
      expect(made.resting).toHaveLength(2);
      made.fill(round % 2 === 0 ? "BUY" : "SELL");
      made.run(5_000);
      expect(made.resting).toHaveLength(2);
    }
    expect(reasonsOf(made).filter((reason) => reason.includes("older"))).toEqual([]);
    const fills = made.bot.notes.filter(({ type }) => type === "fill");
    expect(fills).toHaveLength(8);
    expect(made.since(0, "resubscribe")).toContainEqual({
      type: "resubscribe",
      channel: { kind: "userEvent" },
    });
    expect(channelsOf(made)[0]).toBe("userEvent behind an event did not come");
    made.dead.clear();
    made.fill("BUY");
    made.run(2_000);
    expect(channelsOf(made).at(-1)).toBe("userEvent live");
  });

  it("pulls the quotes within staleBook when the lists cannot be read either", () => {
    const made = venue("user", "trades", "reads");
    made.run(STALE_MS + 500);
    expect(made.resting).toEqual([]);
    expect(reasonsOf(made).at(-1)).toContain("the own orders may be older than 10s");
  });
});

it("a trade channel that lacks own trades is only subscribed to anew, and costs no quote", () => {
  const made = venue("trades");
  const channel = { kind: "trade", marketId } as const;
  for (let round = 0; round < 4; round += 1) {
    made.fill("BUY");
    expect(quotedSeconds(made, 8)).toBe(8);
  }
  const healing = made.since(0, "resubscribe", "reconnect");
  expect(healing.length).toBeGreaterThan(0);
  expect(healing.every((effect) => effect.type === "resubscribe")).toBe(true);
  expect(healing).toContainEqual({ type: "resubscribe", channel });
  expect(channelsOf(made)).toEqual(["trade behind an own trade did not come"]);
});

it("events that make a wrong book are found by a snapshot, and twice in a row are the channel's fault", () => {
  const made = venue();
  made.isWrong = true;
  made.run(5_000);
  const warnings = made.bot.notes.filter((note) => note.type === "warning");
  expect(warnings.map((note) => note.code)).toEqual(["BOOK_MISMATCH"]);
  expect(channelsOf(made)).toEqual(["depth behind its events make a wrong book"]);
  expect(made.since(0, "resubscribe")).toHaveLength(1);
  made.isWrong = false;
  made.run(5_000);
  expect(channelsOf(made).at(-1)).toBe("depth live");
});

it("a short staleBook is kept to with both channels dead", () => {
  const config = { risk: { ...riskSchema.parse({}), staleBook: 2_000 } };
  const made = new ChannelVenue(around, config).run(5_000);
  made.dead.add("depth").add("user");
  made.run(10_000);
  expect(quotedSeconds(made, 20)).toBeGreaterThan(18);
});
