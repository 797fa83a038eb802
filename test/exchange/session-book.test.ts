import { describe, expect, test } from "vitest";
import type { RefusalReason } from "../../src/domain/command.ts";
import { toUnixSec, unixMs, unixSec, type UnixMs } from "../../src/domain/time.ts";
import type { ChangeSession } from "../../src/exchange/command.ts";
import { SessionBook } from "../../src/exchange/session-book.ts";
import { NOW, testAddress } from "../support/exchange.ts";

const [owner, wallet] = [testAddress(1), testAddress(3)];
const nowSec = toUnixSec(NOW);
const later = (seconds: number): UnixMs => unixMs(NOW + 1000 * seconds);

function request(nonce: number, change: Partial<ChangeSession> = {}): ChangeSession {
  return {
    type: "session",
    action: "create",
    sessionWallet: wallet,
    expirySec: unixSec(nowSec + 100),
    nonce,
    name: "bot",
    l1signer: owner,
    ...change,
  };
}

function book(sessionsPerOwner = 10): SessionBook {
  return new SessionBook({ sessionsPerOwner, nonceWindowMs: 60_000 });
}

/** Applies the command when nothing is wrong with it. */
function submit(
  sessions: SessionBook,
  command: ChangeSession,
  nowMs = NOW,
): "accepted" | RefusalReason {
  const problem = sessions.problem(owner, command, command.nonce, nowMs);
  if (problem !== undefined) return problem.reason;
  sessions.apply(owner, command, nowMs);
  return "accepted";
}

describe("a session's life (D7, D26)", () => {
  test("a nonce other than the transaction's is invalid, and another signer of the typed data is unauthorized", () => {
    const sessions = book();
    expect(sessions.problem(owner, request(NOW), NOW + 1, NOW)?.reason).toBe("invalid");
    expect(submit(sessions, request(NOW, { l1signer: wallet }))).toBe("unauthorized");
    expect(sessions.list(owner, NOW)).toEqual([]);
  });
});

describe("an owner's signature is valid once", () => {
  test("for any action: no wallet comes back with the signature that deleted it", () => {
    const sessions = book();
    submit(sessions, request(NOW));
    submit(sessions, request(NOW + 1, { action: "delete" }));
    expect(submit(sessions, request(NOW + 1))).toBe("nonceUsed");
    expect(submit(sessions, request(NOW))).toBe("nonceUsed");
    expect(sessions.isApplied(owner, wallet, NOW)).toBe(false);
  });

  test("signatures with time nonces are forgotten once the window refuses them, those with sequential nonces never", () => {
    const sessions = book();
    const far = unixSec(nowSec + 10_000);
    submit(sessions, request(NOW, { expirySec: far }));
    submit(sessions, request(0, { expirySec: far }));
    submit(sessions, request(NOW + 61_000, { expirySec: far }), later(61));
    // By now the nonce book would refuse this one.
    expect(submit(sessions, request(NOW, { expirySec: far }), later(61))).toBe("accepted");
    expect(submit(sessions, request(0, { expirySec: far }), later(61))).toBe("nonceUsed");
  });

  test("after too many sequential nonces only time nonces are accepted", () => {
    const sessions = book();
    const far = unixSec(nowSec + 10_000);
    for (let nonce = 0; nonce < 4096; nonce += 1) {
      expect(submit(sessions, request(nonce, { expirySec: far }))).toBe("accepted");
    }
    expect(submit(sessions, request(4096, { expirySec: far }))).toBe("invalid");
    expect(submit(sessions, request(NOW, { expirySec: far }))).toBe("accepted");
  });
});

test("an owner has a limited number of sessions; ended ones make room, the oldest first", () => {
  const sessions = book(2);
  const create = (number: number, nowMs = NOW) =>
    submit(
      sessions,
      request(nowMs + number, {
        sessionWallet: testAddress(10 + number),
        expirySec: unixSec(toUnixSec(nowMs) + 100),
      }),
      nowMs,
    );
  expect([create(1), create(2), create(3)]).toEqual(["accepted", "accepted", "invalid"]);
  // An existing session may be created again.
  expect(submit(sessions, request(NOW + 9, { sessionWallet: testAddress(11) }))).toBe("accepted");
  submit(
    sessions,
    request(NOW + 10, {
      action: "update",
      sessionWallet: testAddress(12),
      expirySec: unixSec(nowSec + 900),
    }),
  );
  expect(create(4, later(100))).toBe("accepted");
  expect(sessions.list(owner, later(100)).map(({ sessionWallet }) => sessionWallet)).toEqual([
    testAddress(14),
    testAddress(12),
  ]);
});
