import { afterEach, expect, vi } from "vitest";
import type { VenueDocument } from "../../src/venue/config.ts";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";
import { PATIENCE } from "../support/patience.ts";

/** A bot, its guard and the venue, for one test after another. */

export const maker = { TOUCHLINE_KEY: `0x${"51".repeat(32)}` };
export const other = { TOUCHLINE_KEY: `0x${"52".repeat(32)}` };
export const noKey = { TOUCHLINE_KEY: "" };
export let venue: BotVenue;

export async function startVenue(faults: VenueDocument["faults"] = []): Promise<void> {
  venue = await BotVenue.start(ONE_LEVEL_MAKER, { faults });
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
}
afterEach(() => venue.stop());

export function run(...words: readonly string[]): Touchline {
  return new Touchline(["run", venue.botConfig, ...words], maker);
}

/** In the process of the test, without a key. */
export function startGuard(...words: readonly string[]): TouchlineHere {
  return new TouchlineHere(["guard", venue.botConfig, ...words], noKey);
}

/** What the bot says of its guard. */
export async function guardOf(): Promise<unknown> {
  const { lines } = await touchline(["status", venue.botConfig], maker);
  return lines[0]?.["guard"];
}

export async function untilGuard(wanted: string): Promise<void> {
  await expect.poll(guardOf).toBe(wanted);
}

type Printed = Pick<TouchlineHere, "lines" | "stderr">;

/** Waits until this is the newest state that the guard has printed. */
export async function untilState(guard: Printed, state: string): Promise<void> {
  const newest = () => guard.lines.findLast(({ event }) => event === "guard")?.["state"];
  await vi.waitFor(() => expect(newest(), guard.stderr).toBe(state), PATIENCE);
}

/** Waits until the guard has printed a state this many times, whatever it has printed since. */
export async function untilStates(guard: Printed, state: string, times: number): Promise<void> {
  const said = () =>
    guard.lines.filter((line) => line["event"] === "guard" && line["state"] === state).length;
  await vi.waitFor(() => expect(said(), guard.stderr).toBeGreaterThanOrEqual(times), PATIENCE);
}

/** Starts a guard for a bot that was just started, and waits until the bot quotes on both sides and the two know of each other. */
export async function guardQuoting(bot: Touchline): Promise<TouchlineHere> {
  await bot.line("run");
  const guard = startGuard();
  await untilState(guard, "guarding");
  await venue.untilOpen(maker, 2);
  await untilGuard("connected");
  return guard;
}

export const nothingLeft = { event: "guard", state: "canceled", ordersLeft: [], isVerified: true };
