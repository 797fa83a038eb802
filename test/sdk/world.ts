import { Prng } from "../../src/base/prng.ts";
import type { Signer } from "../../src/ports/crypto.ts";
import { type ConnectOptions, connectVenueOn, type Venue } from "../../src/sdk/connect-venue.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { venueSchema, type VenueDocument } from "../../src/venue/config.ts";
import { type RunningVenue, startVenue } from "../../src/venue/start-venue.ts";
import { silentLog, testCrypto } from "../support/venue.ts";
import { settleOn } from "../support/settle.ts";

/** The client and the paper venue on a virtual clock and network. */
export interface SdkWorld {
  readonly clock: VirtualClock;
  readonly network: VirtualNetwork;
  readonly paper: RunningVenue;
  readonly venue: Venue;
  readonly alice: Signer;
  readonly bob: Signer;
  /** Makes another client; calls `onRequest` for each of its requests. */
  connect(options?: Partial<ConnectOptions>, onRequest?: () => void): Venue;
  settle<Value>(promise: Promise<Value>): Promise<Value>;
}

export async function sdkWorld(document: VenueDocument = {}): Promise<SdkWorld> {
  const clock = new VirtualClock();
  const prng = new Prng(5);
  const network = new VirtualNetwork({ timer: clock, prng: prng.fork("network") });
  const crypto = await testCrypto();
  const settle = settleOn(clock);
  const [alice, bob] = [1, 2].map((byte) => crypto.signer(new Uint8Array(32).fill(byte)));
  if (alice === undefined || bob === undefined) throw new Error("two signers");
  const paper = await settle(
    startVenue({
      config: venueSchema.parse({ faucet: { "1": "100", "2": "250000" }, ...document }),
      ports: { server: network.servers, clock, timer: clock, crypto, log: silentLog },
      listen: { host: "venue", port: 0 },
    }),
  );
  const random = prng.fork("random");
  const connect = (options: Partial<ConnectOptions> = {}, onRequest = (): void => {}): Venue =>
    connectVenueOn({
      rest: paper.rest,
      ws: paper.ws,
      chainId: 1001,
      ports: {
        http: {
          request(request) {
            onRequest();
            return network.http.request(request);
          },
          close: () => network.http.close(),
        },
        connector: network.connector,
        clock,
        timer: clock,
        crypto,
        randomBytes: (count) => Uint8Array.from({ length: count }, () => random.int(0, 255)),
      },
      ...options,
    });
  return { clock, network, paper, venue: connect(), alice, bob, connect, settle };
}
