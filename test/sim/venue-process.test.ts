import { expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, type OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { VerifiedTransaction } from "../../src/exchange/command.ts";
import { VenueProcess } from "../../src/sim/venue-process.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { testCrypto } from "../support/venue.ts";

it("a second copy of an order that the venue carries out later is accepted as well, and changes nothing", async () => {
  const time = new VirtualClock();
  const crypto = await testCrypto();
  const owner = crypto.signer(new Uint8Array(32).fill(7)).address;
  const venue = new VenueProcess({
    config: venueSchema.parse({ accounts: { [owner]: { "1": "10", "2": "1000000" } } }),
    time,
    network: new VirtualNetwork({ timer: time, prng: new Prng(3) }),
    crypto,
    delays: { cancelMs: 0, orderMs: 3_000 },
    served: () => undefined,
    dropped: () => undefined,
  });
  const starting = venue.start();
  await time.runFor(1);
  const exchange = await starting;
  const txHash = `0x${"a".repeat(64)}` as OrderId;
  const transaction: VerifiedTransaction = {
    signer: owner,
    txHash,
    nonce: venue.nowMs,
    owner,
    sessionMaySign: true,
    command: {
      type: "place",
      marketId: marketId("1", "2"),
      side: "BUY",
      orderType: "LIMIT",
      orderMode: 0,
      price: fixed("50"),
      quantity: fixed("1"),
    },
  };
  const submit = () => exchange.submit(transaction, unixMs(venue.nowMs));
  expect(submit()).toMatchObject({ type: "accepted" });
  expect(submit()).toMatchObject({ type: "accepted" });
  expect(exchange.order(txHash)).toBeUndefined();
  await time.runFor(3_000);
  expect(exchange.order(txHash)).toMatchObject({ status: "NEW" });
  venue.kill();
});
