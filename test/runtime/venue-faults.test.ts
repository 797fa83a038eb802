import { describe, expect, it } from "vitest";
import type { VenueDocument } from "../../src/venue/config.ts";
import { faultKinds } from "../../src/venue/faults/fault-kinds.ts";
import { stopped, liveWorld } from "./live-world.ts";

type Lines = Exclude<NonNullable<VenueDocument["faults"]>, "none">;

/** Faults last from 3 s to 33 s after the start; the bot stops when no placement of that time can land any more. */
const span = { at: "3s", for: "30s" } as const;
const schedules: Readonly<Record<string, Lines>> = {
  latency: [{ kind: "latency", ...span, delay: "400ms", jitter: "1s" }],
  drop: [{ kind: "drop", ...span, rate: 0.2 }],
  duplicate: [{ kind: "duplicate", ...span, rate: 0.5 }],
  reorder: [{ kind: "reorder", ...span, rate: 0.3 }],
  close: [{ kind: "close", ...span, rate: 0.02 }],
  "half-open": [{ kind: "half-open", ...span, count: 3 }],
  "5xx": [
    { kind: "5xx", ...span, rate: 0.2 },
    { kind: "5xx", ...span, rate: 0.2, applied: true, status: 502, match: "POST *" },
  ],
  "timeout-before": [{ kind: "timeout-before", ...span, rate: 0.1 }],
  "timeout-after": [{ kind: "timeout-after", ...span, rate: 0.1 }],
  "clock-skew": [
    { kind: "clock-skew", at: "3s", for: "10s", skew: "30s" },
    { kind: "clock-skew", at: "40s", for: "10s", skew: "-20s" },
  ],
  "withdrawal-l1": [{ kind: "withdrawal-l1" }],
};

/** A whole bot against a paper venue with a fault schedule, on virtual time. */
describe("a bot leaves no open orders after each fault of the paper venue", () => {
  it.for(faultKinds.map(({ name }) => name))("%s", async (name) => {
    const world = await liveWorld(21, { faults: schedules[name] });
    const bot = await world.start();
    await world.clock.runFor(105_000);
    const end = await stopped(world, bot);
    expect(end, end.reason).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ ordersLeft: 0, unknownOutcomes: 0 });
    expect(end.summary.quotesPlaced).toBeGreaterThan(3);
    expect(world.openOrders(bot)).toEqual([]);
  });
});
