import { describe, expect, it } from "vitest";
import type { Address, MarketId, OrderId } from "../../src/domain/ids.ts";
import { verifyTools } from "../../src/cli/journal-tools.ts";
import type { BatchEntry, Entry } from "../../src/journal/entry.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { startLive } from "../../src/runtime/live.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";
import { adjustJournal } from "../../src/journal/adjust.ts";
import { restore } from "../../src/journal/restore.ts";
import { CommandSigner } from "../../src/spec/sign-command.ts";
import { type Fixed, fixed } from "../../src/domain/fixed.ts";
import { VenueClient } from "../../src/gateway/venue-client.ts";
import { expectVerified, liveWorld, stopped } from "./live-world.ts";

describe("a live bot on the virtual clock", () => {
  it("quotes both sides, is filled and leaves no open orders, and its journal re-runs", async () => {
    const world = await liveWorld();
    const bot = await world.start();
    await world.clock.runFor(60_000);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    const { summary } = end;
    expect(summary.ordersLeft).toBe(0);
    expect(summary.ordersRejected).toBe(0);
    expect(summary.unknownOutcomes).toBe(0);
    expect(summary.quotesPlaced).toBeGreaterThan(3);
    expect(summary.uptimeBid).toBeGreaterThan(0.9);
    expect(summary.uptimeAsk).toBeGreaterThan(0.9);

    const verified = await expectVerified(world);
    expect(verified.signed).toBeGreaterThan(summary.quotesPlaced);
  });

  it("takes the market's id from the venue's list where strategies and limits name its ticker, and its journal re-runs", async () => {
    const world = await liveWorld(1);
    const ticker = "ETH_USDT" as MarketId;
    const strategies = world.settings.strategies.map((one) => ({ ...one, marketId: ticker }));
    const risk = { ...world.settings.risk, markets: { [ticker]: { maxPosition: 0n as Fixed } } };
    const bot = await world.start({ strategies });
    await world.clock.runFor(5_000);
    const { summary } = await stopped(world, bot);
    expect(bot.markets.map(({ marketId }) => marketId)).toEqual(["1_2"]);
    expect(summary.quotesPlaced).toBeGreaterThan(0);
    await expectVerified(world);
    const limited = await world.start({ strategies, risk });
    await world.clock.runFor(5_000);
    expect((await stopped(world, limited)).summary.quotesPlaced).toBe(0);
    const { carried } = restore(world.store, "journal").restored;
    const held = carried.map((item) => (item.type === "position" ? { ...item, base: "1" } : item));
    await adjustJournal(world.store, "journal", held, world.clock.nowMs());
    const lines: string[] = [];
    const info = (_: unknown, text: string) => void lines.push(text);
    const log = { ...world.ports.log, info, warn: info };
    const again = await world.start({ strategies }, { log });
    expect(lines).toContainEqual(expect.stringMatching(/^continues with a position of .* in 1_2$/));
    expect(lines).not.toContainEqual(expect.stringContaining("not in the configuration"));
    await stopped(world, again);
  });

  it("moves quotes with fewer commands by modify on the paper venue, and its journal re-runs", async () => {
    const commands: number[] = [];
    for (const useModify of [false, true]) {
      const world = await liveWorld(1);
      const bot = await world.start({ execution: { useModify } });
      await world.clock.runFor(60_000);
      const end = await stopped(world, bot);
      expect(end).toMatchObject({ ok: true, inQuestion: [] });
      const { summary } = end;
      expect(summary).toMatchObject({ ordersLeft: 0, ordersRejected: 0, unknownOutcomes: 0 });
      expect(summary.uptimeBid).toBeGreaterThan(0.95);
      expect(summary.uptimeAsk).toBeGreaterThan(0.95);
      expect(summary.quotesModified > 0).toBe(useModify);
      commands.push(summary.quotesPlaced + summary.quotesCanceled - summary.quotesModified);
      await expectVerified(world);
    }
    const [without = 0, withModify = 0] = commands;
    expect(withModify).toBeLessThan(0.8 * without);
  });

  it("adopts and cancels the orders that a killed run left open", async () => {
    const world = await liveWorld(2);
    const process = new VirtualProcess({ ...world.ports });
    const killed = await world.settle(
      startLive(world.settings, {
        ...world.ports,
        timer: process.timer,
        http: process.http,
        connector: process.connector,
      }),
    );
    await world.clock.runFor(10_000);
    const openAtKill = world.openOrders(killed).length;
    expect(openAtKill).toBeGreaterThan(0);
    process.kill();
    world.store.killed();
    await world.clock.runFor(5_000);
    expect(world.openOrders(killed).length).toBeGreaterThan(0);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(world.openOrders(bot)).toEqual([]);
    expect(listRuns(world.store, "journal").length).toBe(2);
  });

  it("leaves the account's other orders alone", async () => {
    const world = await liveWorld(3);
    const bot = await world.start();
    const other = new CommandSigner({
      owner: bot.owner,
      chainId: 1001,
      crypto: world.crypto,
      signer: world.ports.signer,
    });
    const signed = other.sign({
      type: "place",
      nonce: world.clock.nowMs() + 1000,
      marketId: "1_2" as MarketId,
      side: "BUY",
      orderType: "LIMIT",
      orderMode: 0,
      price: 1,
      quantity: fixed("5"),
    });
    const client = new VenueClient({ http: world.network.http, rest: world.venue.rest });
    expect(await world.settle(client.submit("place", signed))).toEqual({ type: "accepted" });
    await world.clock.runFor(5_000);
    const end = await stopped(world, bot);
    expect(end.ok).toBe(true);
    expect(end.summary).toMatchObject({ ordersLeft: 0, foreignOrders: 1 });
    expect(world.openOrders(bot).map(({ orderId }) => orderId)).toEqual([signed.txHash]);
  });

  it("refuses a locked journal, another account's journal and unknown markets", async () => {
    const world = await liveWorld(9);
    const bot = await world.start();
    await world.clock.runFor(5_000);
    await expect(world.start()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    world.store.killed();
    const other = world.settings.venue;
    await expect(world.start({ venue: { ...other, chainId: 5 } })).rejects.toMatchObject({
      code: "JOURNAL_OF_ANOTHER",
    });
    await stopped(world, bot);
    const strategies = world.settings.strategies.map((strategy) => ({
      ...strategy,
      marketId: "8_9" as MarketId,
    }));
    await expect(
      world.start({ strategies, journal: { path: "other", durability: "process", keep: {} } }),
    ).rejects.toMatchObject({
      code: "MARKET_UNKNOWN",
    });
  });

  it("ends the run before the first quote when the chain id is wrong", async () => {
    const world = await liveWorld(10);
    const bot = await world.start({ venue: { ...world.settings.venue, chainId: 7 } });
    const end = await world.settle(bot.done);
    expect(end.ok).toBe(false);
    expect(end.reason).toContain("chain id");
    expect(end.summary.quotesPlaced).toBe(0);
  });

  it("cancels its open orders after a bug, and journals the nonces it used", async () => {
    const world = await liveWorld(14);
    const bug = { isDue: false };
    const signer = {
      address: world.ports.signer.address,
      sign(digest: Uint8Array) {
        if (bug.isDue) {
          bug.isDue = false;
          throw new Error("a bug");
        }
        return world.ports.signer.sign(digest);
      },
    };
    const bot = await world.settle(startLive(world.settings, { ...world.ports, signer }));
    await world.clock.runFor(5_000);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    bug.isDue = true;
    const end = await world.settle(bot.done);
    expect(end.ok).toBe(false);
    expect(end.reason).toContain("a bug");
    expect(world.openOrders(bot)).toEqual([]);
    expect(end.summary.ordersLeft).toBe(0);
    const entries = listRuns(world.store, "journal").flatMap((run) => [
      ...entriesOfRun(world.store, run),
    ]);
    const last = entries.findLast(({ type }) => type !== "measured");
    expect(last).toMatchObject({ type: "crash", crash: { message: "a bug" } });
    const highest = restore(world.store, "journal").restored.nonceHighWater;
    expect(highest).toBeGreaterThanOrEqual(world.clock.nowMs() - 5_000);
  });

  it("a signer that fails for good ends the run, which names its orders and lets go of the journal", async () => {
    const world = await liveWorld(14);
    const bug = { isDue: false };
    const signer = {
      address: world.ports.signer.address,
      sign(digest: Uint8Array) {
        if (bug.isDue) throw new Error("a bug");
        return world.ports.signer.sign(digest);
      },
    };
    const bot = await world.settle(startLive(world.settings, { ...world.ports, signer }));
    await world.clock.runFor(5_000);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    bug.isDue = true;
    const end = await world.settle(bot.done);
    expect(end).toMatchObject({ ok: false, summary: { ordersLeft: open.length } });
    expect(end.inQuestion).toEqual(expect.arrayContaining(open));
    expect(world.store.lock("journal")).toBe(true);
  });

  it("verify names the first difference from the recorded run", async () => {
    const world = await liveWorld(15);
    const bot = await world.start();
    await world.clock.runFor(3_000);
    await stopped(world, bot);
    const [run] = listRuns(world.store, "journal");
    if (run === undefined) throw new Error("no run");
    const entries = [...entriesOfRun(world.store, run)];
    const tools = await verifyTools(run.header, world.crypto, { config: undefined, trust: true });
    const again = (change: (entry: BatchEntry) => BatchEntry, header = run.header) => {
      let isDone = false;
      const changed = entries.map((entry): Entry => {
        if (
          isDone ||
          entry.type !== "batch" ||
          !entry.entry.effects.some(({ type }) => type === "place")
        )
          return entry;
        isDone = true;
        return { type: "batch", entry: change(entry.entry) };
      });
      return verifyRun(header, changed, tools).firstDifference?.what;
    };
    expect(again((entry) => entry)).toBeUndefined();
    expect(
      again((entry) => ({
        ...entry,
        effects: entry.effects.map((effect) =>
          effect.type === "place" ? { ...effect, price: 1 } : effect,
        ),
      })),
    ).toBe("effects");
    expect(
      again((entry) => ({
        ...entry,
        signed: entry.signed.map((signed, at) => ({
          ...signed,
          bytesHex: entry.signed[1 - at]?.bytesHex ?? "",
        })),
      })),
    ).toBe("unsigned-bytes");
    expect(
      again((entry) => ({
        ...entry,
        signed: entry.signed.map((signed) => ({ ...signed, bytesHex: "0x00" })),
      })),
    ).toBe("signature");
    expect(
      again((entry) => ({
        ...entry,
        signed: entry.signed.map((signed) => ({
          ...signed,
          txHash: `0x${"0".repeat(64)}` as OrderId,
        })),
      })),
    ).toBe("hash");
    expect(
      again((entry) => entry, { ...run.header, signer: `0x${"0".repeat(40)}` as Address }),
    ).toBe("signature");
  });
});
