import { Prng } from "../../src/base/prng.ts";
import { marketId } from "../../src/domain/ids.ts";
import { Layer2Venue } from "../../src/gateway/layer2-venue.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { startVenue } from "../../src/venue/start-venue.ts";
import { silentLog, testCrypto } from "../support/venue.ts";
import { type AdapterWorld, testVenueAdapter } from "./venue-adapter-suite.ts";

async function open(): Promise<AdapterWorld> {
  const clock = new VirtualClock();
  const prng = new Prng(5);
  const network = new VirtualNetwork({ timer: clock, prng: prng.fork("network") });
  const crypto = await testCrypto();
  const signer = crypto.signer(new Uint8Array(32).fill(1));
  const { rest, ws } = await startVenue({
    config: venueSchema.parse({ faucet: { "1": "100", "2": "250000" } }),
    ports: { server: network.servers, clock, timer: clock, crypto, log: silentLog },
    listen: { host: "venue", port: 0 },
  });
  const adapter = new Layer2Venue({
    http: network.http,
    connector: network.connector,
    clock,
    timer: clock,
    log: silentLog,
    randomSeed: () => 9,
    keccak256: (bytes) => crypto.keccak256(bytes),
    rest,
    ws,
    chainId: 1001,
    concurrency: 4,
  });
  return {
    adapter,
    clock,
    owner: signer.address,
    signer,
    market: marketId("1", "2"),
    bidPrice: 50,
    loseResponses() {
      network.faults.loseResponse = 1;
    },
    refuseConnections(isRefusing) {
      network.faults.refuse = isRefusing;
    },
    cutStreams: () => network.cutSockets(),
  };
}

testVenueAdapter("of the layer-2 venue", open);
