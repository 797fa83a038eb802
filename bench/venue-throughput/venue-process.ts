import { fromHex } from "../../src/base/hex.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { createDatabaseOpener } from "../../src/platform/database.ts";
import { createServerFactory } from "../../src/platform/server.ts";
import { systemTimer } from "../../src/platform/timer.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { decodeTransaction } from "../../src/spec/transaction.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { startVenue } from "../../src/venue/start-venue.ts";
import { accountKey } from "./account-key.ts";
import type { Recovered, VenueQuestion, VenueStarted, VenueUsed } from "./messages.ts";

/** The venue's process: `venue-process.ts CONNECTIONS [DATA_DIR]`. It serves, and recovers signers when it is asked to. */
const [connections, dataDir] = process.argv.slice(2);
const CHAIN_ID = 1001;
const crypto = await loadCrypto();
const accounts = Object.fromEntries(
  Array.from({ length: Number(connections) }, (_, at) => [
    crypto.signer(accountKey(at)).address,
    { "1": "1000000", "2": "1000000000" },
  ]),
);
const venue = await startVenue({
  config: venueSchema.parse({ accounts, dataDir: dataDir ?? null }),
  listen: { host: "127.0.0.1", port: 0 },
  ports: {
    server: createServerFactory(),
    clock: systemClock,
    timer: systemTimer,
    crypto,
    log: { debug() {}, info() {}, warn: console.warn, error: console.error },
    database: createDatabaseOpener(),
  },
});

process.on("message", (question: VenueQuestion) => {
  switch (question.ask) {
    case "used": {
      const { user, system } = process.cpuUsage();
      return tell({ usedUs: user + system });
    }
    case "recover":
      return tell(recover(crypto, question.transactions));
    case "end":
      void venue.close().then(() => process.exit(0));
  }
});
tell({ port: Number(new URL(venue.rest).port), crypto: crypto.name });

function tell(message: VenueStarted | VenueUsed | Recovered): void {
  process.send?.(message);
}

/** Hash of the unsigned bytes, public key of the signature, its address: what no venue can leave out. */
function recover({ keccak256, recover }: Crypto, transactions: readonly string[]): Recovered {
  const decoded = transactions.map((tx) => {
    const transaction = decodeTransaction(fromHex(tx) ?? new Uint8Array(), CHAIN_ID);
    if (!transaction.ok) throw new Error(transaction.error);
    return transaction.value;
  });
  const before = process.cpuUsage();
  const start = performance.now();
  for (const { unsigned, signature } of decoded) {
    if (recover(keccak256(unsigned), signature.rs, signature.recovery) === undefined) {
      throw new Error("a signature of nobody");
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: decoded.length / seconds,
    processorUs: (user + system) / decoded.length,
  };
}
