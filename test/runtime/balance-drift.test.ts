import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId, type Address } from "../../src/domain/ids.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { testAddress } from "../support/exchange.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A whole bot whose balances at the venue change, on a virtual clock. */

type DriftNote = Extract<Note, { type: "balanceDrift" }>;

function driftsOf(bot: Bot): DriftNote[] {
  const notes: DriftNote[] = [];
  bot.observers.on((entry) => {
    for (const note of entry.notes) if (note.type === "balanceDrift") notes.push(note);
  });
  return notes;
}

const account = ({ venue }: World, owner: Address) => venue.exchange.ledger.account(owner);
const base = tokenId("1");

describe("money that the venue moves without an event", () => {
  it("is a drift with the blocks in which it began, in the summary and in every re-run", async () => {
    const world = await liveWorld(41);
    const bot = await world.start();
    const drifts = driftsOf(bot);
    await world.clock.runFor(45_000);
    expect(drifts).toEqual([]);
    const { exchange } = world.venue;
    const movedIn = exchange.blockNumber;
    exchange.ledger.withdraw(account(world, bot.owner), base, fixed("0.125"));
    await world.clock.runFor(100_000);
    expect(drifts).toHaveLength(1);
    const [drift] = drifts;
    expect(drift).toMatchObject({ code: "BALANCE_DRIFT", tokenId: base, amount: fixed("-0.125") });
    expect(drift?.afterBlock).toBeLessThanOrEqual(movedIn);
    expect(drift?.untilBlock).toBeGreaterThanOrEqual(movedIn);
    expect(drift?.message).toMatch(/^the balance of token 1 changed by -0.125 in a block from /);
    const end = await stopped(world, bot);
    expect(end.ok).toBe(true);
    expect(end.summary.balanceDrift).toEqual({ "1": "-0.125" });
    await expectVerified(world);
  });
});

describe("a transfer whose event was lost", () => {
  it("is named with its hash and the blocks in which it happened", async () => {
    const world = await liveWorld(44);
    const bot = await world.start();
    const drifts = driftsOf(bot);
    await world.clock.runFor(20_000);
    world.network.faults.refuse = true;
    world.network.cutSockets();
    await world.clock.runFor(3_000);
    const { exchange } = world.venue;
    const sent = exchange.execute(
      bot.owner,
      { type: "token-transfer", to: testAddress(9), tokenId: base, amount: fixed("3") },
      world.clock.nowMs(),
    );
    if (sent.type !== "accepted") throw new Error(sent.message);
    const movedIn = exchange.blockNumber;
    world.network.faults.refuse = false;
    await world.clock.runFor(60_000);
    expect(drifts).toMatchObject([
      { code: "BALANCE_CHANGED", amount: fixed("-3"), transfers: [sent.txHash] },
    ]);
    const [drift] = drifts;
    expect(drift?.message).toContain(`explains it by ${sent.txHash}`);
    expect(drift?.afterBlock).toBeLessThan(movedIn);
    expect(drift?.untilBlock).toBeGreaterThanOrEqual(movedIn);
    const end = await stopped(world, bot);
    expect(end.summary.balanceDrift).toBeUndefined();
    await expectVerified(world);
  });
});
