import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect } from "vitest";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { VenueProcess } from "./venue-process.ts";

/** A bot, its guard and the venue as processes of their own, for one test after another. */

export const maker = { TOUCHLINE_KEY: `0x${"51".repeat(32)}` };
export const other = { TOUCHLINE_KEY: `0x${"52".repeat(32)}` };
export const noKey = { TOUCHLINE_KEY: "" };
export let venue: VenueProcess;

export async function startVenue(faults?: string): Promise<void> {
  venue = await VenueProcess.start(ONE_LEVEL_MAKER, { faults });
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
}
afterEach(() => venue.stop());

export async function openCount(key = maker): Promise<number> {
  const { lines } = await touchline(["order", "open", "--venue", venue.rest], key);
  const orders = lines[0]?.["orders"];
  return Array.isArray(orders) ? orders.length : Number.NaN;
}

export async function untilOpen(count: number): Promise<number> {
  let found = Number.NaN;
  for (let attempt = 0; attempt < 100 && found !== count; attempt += 1) {
    found = await openCount();
    if (found !== count) await pause(100);
  }
  return found;
}

export function run(...words: readonly string[]): Touchline {
  return new Touchline(["run", venue.botConfig, ...words], maker);
}

export function startGuard(...words: readonly string[]): Touchline {
  return new Touchline(["guard", venue.botConfig, ...words], noKey);
}

/** What the bot says of its guard. */
export async function guardOf(): Promise<unknown> {
  const { lines } = await touchline(["status", venue.botConfig], maker);
  return lines[0]?.["guard"];
}

export async function untilGuard(wanted: string): Promise<unknown> {
  let found: unknown;
  for (let attempt = 0; attempt < 100 && found !== wanted; attempt += 1) {
    found = await guardOf();
    if (found !== wanted) await pause(100);
  }
  return found;
}

/** The newest state that the guard has printed. */
export async function untilState(guard: Touchline, state: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (guard.lines.findLast(({ event }) => event === "guard")?.["state"] === state) return;
    await pause(100);
  }
  throw new Error(`the guard is not ${state}: ${guard.stderr}`);
}

/** Waits until the guard has printed a state this many times, whatever it has printed since. */
export async function untilStates(guard: Touchline, state: string, times: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const said = guard.lines.filter((line) => line["event"] === "guard" && line["state"] === state);
    if (said.length >= times) return;
    await pause(100);
  }
  throw new Error(`the guard was not ${state} ${times} times: ${guard.stderr}`);
}

/** Starts a guard for a bot that was just started, and waits until the bot quotes on both sides and the two know of each other. */
export async function guardQuoting(bot: Touchline): Promise<Touchline> {
  await bot.line("run");
  const guard = startGuard();
  await untilState(guard, "guarding");
  expect(await untilOpen(2)).toBe(2);
  expect(await untilGuard("connected")).toBe("connected");
  return guard;
}

export const nothingLeft = { event: "guard", state: "canceled", ordersLeft: [], isVerified: true };
