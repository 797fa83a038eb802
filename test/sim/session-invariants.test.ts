import { describe, expect, it } from "vitest";
import { unixMs, unixSec } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { SeenTransaction } from "../../src/sim/seen-transaction.ts";
import { NOW, testAddress, testHash } from "../support/exchange.ts";
import { cancelOf, goodEnd, owner, placement, sent, watch } from "./watched-invariant.ts";

const session = { lifetimeMs: 40_000, beforeMs: 20_000, stopBeforeMs: 15_000 };
const [first, second] = [testAddress(11), testAddress(12)];

/** A world whose bot signs with the session `first`, which ends after 40 s. */
function sessionWorld() {
  const watched = watch("session-use", { session });
  const { exchange } = watched;
  let nonce = 0;
  const change = (action: "create" | "delete", sessionWallet = first, atMs = 0): void => {
    nonce += 1;
    const nowMs = unixMs(NOW + atMs);
    const expirySec = unixSec(Math.floor((nowMs + session.lifetimeMs) / 1000));
    const terms = { action, sessionWallet, expirySec, nonce, name: "", l1signer: owner };
    const { type } = exchange.execute(owner, { type: "session", ...terms }, nowMs);
    expect(type).toBe("accepted");
  };
  const signed = (at: number, command?: SeenTransaction["command"], signer = first) =>
    watched.hooks.request?.({ ...sent(at, `0x${at}`, command), signer });
  const response = (outcome: "accepted" | "unauthorized"): Input => ({
    type: "response",
    intent: 1,
    outcome:
      outcome === "accepted"
        ? { type: "accepted" }
        : { type: "refused", reason: outcome, message: "", retryAfterMs: undefined },
  });
  change("create");
  return { ...watched, change, signed, response };
}

describe("session-use detects", () => {
  it("an order that is signed shortly before the end of its session, and a command after it", () => {
    const { world, signed } = sessionWorld();
    const cancel = cancelOf(testHash(1));
    world.nowMs = 30_000;
    expect(signed(1)).toBeUndefined();
    world.nowMs = 30_001;
    expect(signed(2)).toBe("a place was signed 9999 ms before the end of the session");
    expect(signed(3, cancel)).toBeUndefined();
    // What was signed before the call leaves when it returns.
    world.blockedMs = 26_000;
    expect(signed(4)).toBeUndefined();
    world.nowMs = 55_000;
    expect(signed(5, cancel)).toBeUndefined();
    world.nowMs = 55_001;
    expect(signed(5, cancel)).toContain("a cancel was signed -15001 ms before the end");
    world.startingSinceMs = 55_000;
    expect(signed(6, cancel)).toBeUndefined();
    expect(signed(7)).toContain("a place was signed");
  });

  it("an order of a kernel whose signature the venue refuses again and again", () => {
    const { world, entry, response } = sessionWorld();
    const effects = [placement(100, "1")];
    const refused = response("unauthorized");
    entry({ inputs: [refused] });
    world.nowMs = 4_000;
    expect(entry({ inputs: [refused, refused], effects })).toBeUndefined();
    // The node may have lagged behind the session for those 4 s: the next order finds out.
    world.nowMs = 9_000;
    expect(entry({ effects })).toBeUndefined();
    entry({ inputs: [refused] });
    expect(entry({ effects })).toBe("a place was ordered after 4 refusals of the signature");
    expect(entry({ inputs: [response("accepted")], effects })).toBeUndefined();
    expect(entry({ effects })).toBeUndefined();
  });

  it("a bot whose commands the venue does not accept with an active session after the faults", () => {
    const { world, hooks, entry, change, response, place, exchange } = sessionWorld();
    entry({ inputs: [response("accepted")] });
    world.nowMs = 20_000;
    hooks.faultsEnded?.();
    expect(hooks.recovered?.()).toBeUndefined();
    entry({ effects: [placement(100, "1")] });
    expect(hooks.recovered?.()).toContain("no quote rests");
    const orderId = place("BUY", "100", "1");
    expect(hooks.recovered?.()).toBeUndefined();
    exchange.execute(owner, { type: "cancel", orderId }, NOW);
    expect(hooks.recovered?.()).toContain("no quote rests");
    world.nowMs = 30_000;
    entry({ inputs: [response("accepted")] });
    expect(hooks.recovered?.()).toBeUndefined();
    world.nowMs = 41_000;
    expect(hooks.recovered?.()).toBe("no session is active after the faults");
    change("create", second, 41_000);
    expect(hooks.recovered?.()).toBeUndefined();
    change("delete", second, 41_000);
    expect(hooks.recovered?.()).toBe("no session is active after the faults");
  });

  it("a bot that orders nothing any more because the venue has refused its signature", () => {
    const { hooks, entry, response } = sessionWorld();
    hooks.faultsEnded?.();
    entry({ inputs: [response("unauthorized")] });
    expect(hooks.recovered?.()).toContain("no quote rests");
  });

  it("no order that the bot held back itself, since the venue could not accept it", () => {
    const { hooks, entry } = sessionWorld();
    const orderOf = (intent: number) => ({ ...placement(100, "1"), intent });
    const unsent = (intent: number, isHeldBack?: true): Input => {
      const outcome = { type: "not-sent", message: "", ...(isHeldBack && { isHeldBack }) } as const;
      return { type: "response", intent, outcome };
    };
    hooks.faultsEnded?.();
    entry({ effects: [orderOf(1), orderOf(2)] });
    entry({ inputs: [unsent(1, true)] });
    expect(hooks.recovered?.()).toContain("no quote rests");
    // An attempt that failed is no order held back.
    entry({ inputs: [unsent(2)] });
    expect(hooks.recovered?.()).toContain("no quote rests");
    entry({ inputs: [unsent(2, true)] });
    expect(hooks.recovered?.()).toBeUndefined();
  });

  it("the orders of the newest run only: those before may have had a session that the venue had lost", () => {
    const { hooks, entry } = sessionWorld();
    hooks.faultsEnded?.();
    entry({ effects: [placement(100, "1")] });
    expect(hooks.recovered?.()).toContain("no quote rests");
    hooks.runStarts?.();
    expect(hooks.recovered?.()).toBeUndefined();
    entry({ effects: [placement(100, "1")] });
    expect(hooks.recovered?.()).toContain("no quote rests");
  });

  it("nothing in a world without sessions", () => {
    const { hooks } = watch("session-use");
    expect(hooks.request?.({ ...sent(1, "0x1"), signer: first })).toBeUndefined();
    expect(hooks.recovered?.()).toBeUndefined();
  });
});

describe("of a bot with sessions", () => {
  it("clean-end detects a run that ends with its session as ok, or leaves an order without its name", () => {
    const { hooks, place } = watch("clean-end", { session });
    expect(hooks.sessionEnded?.(goodEnd)).toContain("ended as ok");
    const end = { ...goodEnd, ok: false };
    expect(hooks.sessionEnded?.(end)).toBeUndefined();
    const id = place("BUY", "100", "1");
    expect(hooks.sessionEnded?.(end)).toContain("left open");
    expect(hooks.sessionEnded?.({ ...end, inQuestion: [id] })).toBeUndefined();
  });

  it("clean-end excuses a failed stop only when the session ended meanwhile", () => {
    const { hooks, world, exchange } = watch("clean-end", { session });
    const terms = { sessionWallet: first, expirySec: unixSec(NOW / 1000 + 40), nonce: 1 } as const;
    const command = {
      type: "session",
      action: "create",
      ...terms,
      name: "",
      l1signer: owner,
    } as const;
    expect(exchange.execute(owner, command, unixMs(NOW)).type).toBe("accepted");
    const end = { ...goodEnd, ok: false, reason: "late" };
    world.nowMs = 24_999;
    hooks.stopped?.(end);
    world.nowMs = 90_000;
    expect(hooks.ended?.(end)).toContain("late");
    world.nowMs = 25_000;
    hooks.stopped?.(end);
    expect(hooks.ended?.(end)).toBeUndefined();
  });

  it("fresh-book detects an order that rests while the bot starts, once a session is active that could cancel it", () => {
    const { hooks, world, entry, place, exchange, oracle } = watch("fresh-book", { session });
    const change = (action: "create" | "delete", nonce: number): void => {
      const terms = { action, sessionWallet: first, expirySec: unixSec(NOW / 1000 + 300), nonce };
      const command = { type: "session", ...terms, name: "", l1signer: owner } as const;
      expect(exchange.execute(owner, command, unixMs(NOW)).type).toBe("accepted");
    };
    change("create", 1);
    oracle.orders.set(place("BUY", "100", "1"), "live");
    world.isAlive = false;
    world.startingSinceMs = 0;
    world.nowMs = 22_001;
    expect(hooks.tick?.()).toContain("rests although");
    change("delete", 2);
    expect(hooks.tick?.()).toBeUndefined();
    // A bot that runs may not wait for its session to end.
    world.isAlive = true;
    world.nowMs = 60_000;
    hooks.tick?.();
    world.nowMs = 90_000;
    expect(hooks.tick?.()).toContain("rests although");
    entry({ effects: [{ type: "finished", ok: false, reason: "" }] });
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("one-nonce-one-command judges each signer by itself", () => {
    const { hooks, world } = watch("one-nonce-one-command", { session });
    world.appended = "0x01 0x02 0x03";
    const signed = (bytes: string, signer = first) =>
      hooks.request?.({ ...sent(7, bytes), signer });
    expect(signed("0x01")).toBeUndefined();
    expect(signed("0x02", second)).toBeUndefined();
    expect(signed("0x03")).toContain("two commands");
  });

  it("no-orphan detects an order of an earlier session that the bot has lost sight of", () => {
    const { hooks, place, world } = watch("no-orphan", { session });
    place("BUY", "100", "1");
    expect(hooks.tick?.()).toBeUndefined();
    // The next session signs by now.
    hooks.request?.({ ...sent(1, "0x01"), signer: second });
    world.nowMs = 15_001;
    expect(hooks.tick?.()).toContain("0x");
  });

  it("journal-before-wire lets commands that make and end sessions pass, and no others", () => {
    const { hooks } = watch("journal-before-wire", { session });
    const terms = { sessionWallet: first, expirySec: unixSec(1), nonce: 7 } as const;
    const create = { type: "session", action: "create", ...terms, name: "" } as const;
    expect(hooks.request?.(sent(7, "0xab", { ...create, l1signature: "0x" }))).toBeUndefined();
    expect(hooks.request?.(sent(8, "0xac"))).toContain("before it was written");
  });
});
