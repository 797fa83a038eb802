import { describe, expect, it } from "vitest";
import type { GuardSettings } from "../../src/kernel/config.ts";
import type { Effect, StandbyCancel } from "../../src/kernel/effect.ts";
import { keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, placesOf } from "./harness.ts";

const guard = { refreshMs: 10_000, isRequired: false };
const connected = { type: "guard", isConnected: true } as const;
const gone = { type: "guard", isConnected: false } as const;

function bot(config: { readonly guard?: GuardSettings } = { guard }): Harness {
  let hasQuoted = false;
  return new Harness({
    config,
    decide() {
      if (hasQuoted) return keepQuotes();
      hasQuoted = true;
      return setQuotes({
        bids: [{ price: 1990, size: "1" }],
        asks: [{ price: 2010, size: "1" }],
        tolerance: 0.01,
      });
    },
  });
}

function standbyOf(effects: readonly Effect[]): StandbyCancel[] {
  return effects.flatMap((effect) => (effect.type === "standby" ? [effect] : []));
}

const idsOf = (effects: readonly Effect[]) => standbyOf(effects).map(({ orderId }) => orderId);

/** Steps at the kernel's own deadlines for this long. */
function run(harness: Harness, forMs: number): Effect[] {
  const effects: Effect[] = [];
  const untilMs = harness.nowMs + forMs;
  for (;;) {
    const nextMs = harness.kernel.nextDeadlineMs ?? Number.POSITIVE_INFINITY;
    if (nextMs > untilMs) return effects;
    harness.nowMs = Math.max(nextMs, harness.nowMs + 1);
    effects.push(...harness.step());
  }
}

describe("a standby cancel", () => {
  it("is made for every own order in the step that places it, once, with a nonce that no command has", () => {
    const harness = bot();
    harness.step();
    const effects = [...harness.step(connected), ...harness.begin()];
    const places = placesOf(effects);
    expect(places).toHaveLength(2);
    expect(standbyOf(effects).map(({ intent }) => intent)).toEqual(
      places.map(({ intent }) => intent),
    );
    expect(idsOf(effects)).toEqual([undefined, undefined]);
    expect(idsOf(run(harness, 10_000))).toEqual([hashOf(1), hashOf(2)]);
    const nonces = effects.flatMap((effect) => ("nonce" in effect ? [effect.nonce] : []));
    expect(nonces).toHaveLength(4);
    expect(new Set(nonces).size).toBe(4);
    expect(standbyOf(effects)).toMatchObject([
      { isAcknowledged: false },
      { isAcknowledged: false },
    ]);
  });

  it("is made for orders that are open when the first guard connects, and again when one comes after none", () => {
    const harness = bot();
    expect(idsOf(harness.begin())).toEqual([]);
    for (const intent of [1, 2])
      harness.step(harness.accepted(intent), harness.event(intent, "NEW"));
    const ids = [hashOf(1), hashOf(2)];
    const first = harness.step(connected);
    expect(idsOf(first)).toEqual(ids);
    expect(standbyOf(first)).toMatchObject([{ isAcknowledged: true }, { isAcknowledged: true }]);
    expect(idsOf(harness.step(connected))).toEqual([]);
    expect(idsOf(harness.step(gone))).toEqual([]);
    expect(idsOf(run(harness, 30_000))).toEqual([]);
    expect(idsOf(harness.step(connected))).toEqual(ids);
    expect(harness.notes.filter(({ type }) => type === "guard")).toHaveLength(3);
  });

  it("is replaced at its age by the kernel's own deadline, and no longer once its order has ended", () => {
    const harness = bot();
    harness.begin();
    for (const intent of [1, 2])
      harness.step(harness.accepted(intent), harness.event(intent, "NEW"));
    harness.step(connected);
    const fresh = run(harness, 10_000);
    expect(idsOf(fresh)).toEqual([hashOf(1), hashOf(2)]);
    harness.step(harness.event(1, "CANCELED"));
    expect(idsOf(run(harness, 10_000))).toEqual([hashOf(2)]);
    expect(harness.kernel.sizes["standbyCancels"]).toBe(1);
  });

  it("is replaced at once when the venue's clock was set: the venue would refuse its nonce", () => {
    const setAhead = { type: "venueTime", offsetMs: 120_000, roundTripMs: 1 } as const;
    const harness = bot();
    harness.begin();
    for (const intent of [1, 2])
      harness.step(harness.accepted(intent), harness.event(intent, "NEW"));
    harness.step(connected);
    harness.nowMs += 1_000;
    // Has the clock read again.
    harness.step({ type: "clockStepped", byMs: 1 });
    const renewed = standbyOf(harness.step(setAhead));
    for (const { nonce } of renewed) expect(nonce).toBeGreaterThan(harness.nowMs + 60_000);
    expect(renewed.map(({ orderId }) => orderId)).toEqual([hashOf(1), hashOf(2)]);
  });

  it("takes no rate token", () => {
    const harness = bot();
    harness.begin();
    const before = harness.kernel.rateLeft.spent;
    expect(idsOf(harness.step(connected))).toHaveLength(2);
    expect(harness.kernel.rateLeft.spent).toBe(before);
  });
});

describe("a guard that is required", () => {
  it("is waited for, and its loss pulls the quotes", () => {
    const harness = new Harness({
      config: { guard: { ...guard, isRequired: true } },
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], tolerance: 0.01 }),
    });
    expect(placesOf(harness.begin())).toEqual([]);
    expect(harness.notes).toContainEqual(
      expect.objectContaining({ type: "quoteReason", reason: "no guard is connected" }),
    );
    const [placed] = placesOf(harness.step(connected));
    expect(placed).toMatchObject({ price: 1990, intent: 1 });
    harness.step(harness.accepted(1), harness.event(1, "NEW"));
    expect(cancelsOf(harness.step(gone))).toEqual([hashOf(1)]);
    harness.step(harness.event(1, "CANCELED"));
    expect(placesOf(harness.after(1_000, harness.depth(101, [1999, 6], [])))).toEqual([]);
    expect(placesOf(harness.step(connected))).toMatchObject([{ price: 1990 }]);
  });
});
