import type { Mutant } from "./mutants.ts";

/** Deliberate bugs that only worlds with session wallets can notice. */
export const sessionMutants: readonly Mutant[] = [
  {
    name: "a renewed session never takes over the signing",
    file: "src/runtime/live.ts",
    search: "      signing.signer = next;",
    replace: "",
  },
  {
    name: "the journal does not name the next session",
    file: "src/runtime/live.ts",
    search: "      journal.signedBy(next.address);",
    replace: "",
  },
  {
    name: "a bot quotes until its session has ended",
    file: "src/session/session-keeper.ts",
    search: "const waitMs = Math.max(0, this.#leftMs() - stopBeforeMs);",
    replace: "const waitMs = Math.max(0, this.#leftMs() - stopBeforeMs + 30_000);",
  },
  {
    name: "a start signs with a session that has ended",
    file: "src/session/open-session.ts",
    search: "return session?.applied === true ? [{ ...key, expirySec: session.expiry }] : [];",
    replace: "return session === undefined ? [] : [{ ...key, expirySec: session.expiry + 60 }];",
  },
];
