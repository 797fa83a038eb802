import { describe, expect, test } from "vitest";
import type { CancelCommand, CommandOutcome, PlaceCommand } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { Address, MarketId, OrderId } from "../../src/domain/ids.ts";
import { NONCE_AHEAD_MAX_MS } from "../../src/execution/nonce.ts";
import type { VenueAdapter } from "../../src/gateway/venue-adapter.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Signer } from "../../src/ports/crypto.ts";
import type { VirtualClock } from "../../src/sim/virtual-clock.ts";

/** An adapter for a venue on a virtual clock, with a funded account. */
export interface AdapterWorld {
  readonly adapter: VenueAdapter;
  readonly clock: VirtualClock;
  readonly owner: Address;
  readonly signer: Signer;
  readonly market: MarketId;
  /** A legal price at which a bid of one unit rests. */
  readonly bidPrice: number;
  /** From now on requests reach the venue, but all responses are lost. */
  loseResponses(): void;
  /** Makes the venue refuse connections from now on, or accept them again. */
  refuseConnections(isRefusing: boolean): void;
  cutStreams(): void;
}

const unknownId = `0x${"9".repeat(64)}` as OrderId;

async function connected(open: () => Promise<AdapterWorld>) {
  const world = await open();
  const { adapter, clock, owner, signer, market, bidPrice } = world;
  const inputs: Input[] = [];
  const { feed, outlet } = adapter.connect({
    owner,
    markets: [market],
    push: (input) => void inputs.push(input),
  });
  const commands = adapter.commandSigner({ owner, signer });
  let intent = 0;
  const next = () => ({ intent: (intent += 1), nonce: clock.nowMs() + intent, strategy: "maker" });
  const place = (): PlaceCommand => ({
    type: "place",
    ...next(),
    marketId: market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: bidPrice,
    quantity: fixed("1"),
  });
  const cancel = (orderId: OrderId): CancelCommand => ({ type: "cancel", ...next(), orderId });
  const outcomesOf = (wanted: number): readonly CommandOutcome[] =>
    inputs.flatMap((input) =>
      input.type === "response" && input.intent === wanted ? [input.outcome] : [],
    );
  /** Sends a command and returns all its outcomes; there should be one. */
  const send = async (command: PlaceCommand | CancelCommand) => {
    const signed = commands.sign(command);
    outlet.send(command, signed);
    await clock.runFor(20_000);
    return { orderId: signed.txHash, outcomes: outcomesOf(command.intent) };
  };
  const states = () =>
    inputs.flatMap((input) =>
      input.type === "stream" && input.state !== "alive" ? [input.state] : [],
    );
  const settled = async <Value>(promise: Promise<Value>): Promise<Value> => {
    let isDone = false;
    const watched = promise.finally(() => (isDone = true));
    watched.catch(() => undefined);
    await clock.runUntil(() => isDone, 60_000);
    return watched;
  };
  return { ...world, inputs, feed, outlet, commands, place, cancel, send, states, settled };
}

/** Tests the promises of every venue adapter in `docs/venue-adapter.md`. */
export function testVenueAdapter(name: string, open: () => Promise<AdapterWorld>): void {
  describe(`the venue adapter ${name}`, () => {
    test("knows an order's id before it is sent, and the same command is the same order", async () => {
      const { commands, place, send, outlet, inputs, clock } = await connected(open);
      const command = place();
      const signed = commands.sign(command);
      expect(commands.sign(command)).toEqual(signed);
      expect(inputs).toEqual([]);
      const { orderId, outcomes } = await send(command);
      expect([orderId, outcomes]).toEqual([signed.txHash, [{ type: "accepted" }]]);
      outlet.read({ type: "order", orderId });
      await clock.runFor(1_000);
      expect(inputs.at(-1)).toMatchObject({ type: "order", orderId, report: { orderId } });
    });

    test("pushes one outcome for each command, with a RefusalReason when it is refused", async () => {
      const { adapter, commands, place, cancel, send, settled } = await connected(open);
      expect((await send(cancel(unknownId))).outcomes).toEqual([
        {
          type: "refused",
          reason: "notFound",
          message: expect.any(String),
          retryAfterMs: undefined,
        },
      ]);
      const first = place();
      expect((await send(first)).outcomes).toEqual([{ type: "accepted" }]);
      const second = { ...place(), nonce: first.nonce, quantity: fixed("2") };
      expect((await send(second)).outcomes).toMatchObject([
        { type: "refused", reason: "nonceUsed" },
      ]);
      const signed = commands.sign(cancel(unknownId));
      expect(await settled(adapter.submit("cancel", signed))).toMatchObject({ reason: "notFound" });
    });

    test("reports unknown when a response is lost, and not-sent when no byte was sent", async () => {
      const { place, send, loseResponses, refuseConnections } = await connected(open);
      loseResponses();
      expect((await send(place())).outcomes).toMatchObject([{ type: "unknown" }]);
      refuseConnections(true);
      expect((await send(place())).outcomes).toMatchObject([{ type: "not-sent" }]);
    });

    test("sends commands at once and in order", async () => {
      const { outlet, commands, place } = await connected(open);
      const handedOver: number[] = [];
      for (const command of [place(), place(), place()]) {
        outlet.send(command, commands.sign(command), () => handedOver.push(command.intent));
      }
      expect(handedOver).toEqual([1, 2, 3]);
    });

    test("pushes data only between opened and closed, and reconnects after a loss", async () => {
      const { feed, inputs, send, place, states, cutStreams, clock } = await connected(open);
      await send(place());
      expect(states()).toEqual([]);
      feed.start();
      await clock.runFor(2_000);
      expect(inputs.find((input) => input.type !== "response")).toMatchObject({ state: "opened" });
      const { orderId } = await send(place());
      const events = inputs.flatMap((input) => (input.type === "orderEvent" ? [input.event] : []));
      expect(events.map(({ order }) => order.orderId)).toContain(orderId);
      expect(inputs.some((input) => input.type === "depth")).toBe(true);
      cutStreams();
      await clock.runFor(10_000);
      expect(states()).toEqual(["opened", "closed", "opened"]);
      feed.restart("too much");
      await clock.runFor(10_000);
      expect(states()).toEqual(["opened", "closed", "opened", "closed", "opened"]);
      feed.stop();
      const { length } = inputs;
      await clock.runFor(10_000);
      expect(inputs).toHaveLength(length);
    });

    test("subscribes to one channel anew without losing the connection or another channel", async () => {
      const { feed, inputs, send, place, states, market, clock } = await connected(open);
      feed.start();
      await clock.runFor(2_000);
      const channels = [{ kind: "userEvent" }, { kind: "depth", marketId: market }] as const;
      for (const channel of channels) feed.resubscribe(channel);
      await clock.runFor(2_000);
      const confirmed = inputs.flatMap((input) =>
        input.type === "resubscribed" ? [input.channel] : [],
      );
      expect(confirmed).toEqual(channels);
      inputs.length = 0;
      await send(place());
      const types = inputs.map(({ type }) => type);
      expect(types).toEqual(expect.arrayContaining(["orderEvent", "depth", "depthAudit"]));
      expect(states()).toEqual([]);
      feed.stop();
    });

    test("pushes one input for each read", async () => {
      const { outlet, inputs, clock, market, refuseConnections } = await connected(open);
      const reads = [
        { type: "book", marketId: market },
        { type: "order", orderId: unknownId },
        { type: "openOrders" },
        { type: "fills", sinceMs: clock.nowMs() - 1_000 },
        { type: "balances" },
        { type: "transfers", sinceMs: clock.nowMs() - 1_000 },
        { type: "markets" },
        { type: "venueTime" },
      ] as const;
      for (const read of reads) outlet.read(read);
      await clock.runFor(5_000);
      expect(inputs.map(({ type }) => type).toSorted()).toEqual(
        reads.map(({ type }) => type).toSorted(),
      );
      expect(inputs.find(({ type }) => type === "order")).toMatchObject({ report: "absent" });
      inputs.length = 0;
      refuseConnections(true);
      for (const read of reads) outlet.read(read);
      await clock.runFor(20_000);
      const failed = inputs.flatMap((input) => (input.type === "readFailed" ? [input.read] : []));
      expect(failed).toHaveLength(inputs.length);
      expect(failed.toSorted()).toEqual(reads.map(({ type }) => type).toSorted());
    });

    test("aborts open reads and waits for tokens when it is closed", async () => {
      const { outlet, inputs, clock } = await connected(open);
      outlet.read({ type: "balances" });
      const token = outlet.waitForToken();
      outlet.close();
      await expect(token).rejects.toMatchObject({ outcome: "not-sent" });
      await clock.runFor(1_000);
      expect(inputs).toContainEqual(expect.objectContaining({ type: "readFailed" }));
    });

    test("fetches the markets, the venue's clock and every open order", async () => {
      const { adapter, settled, market, send, place, clock, owner } = await connected(open);
      let tokens = 0;
      const waitForToken = async (): Promise<void> => {
        tokens += 1;
      };
      const { markets } = await settled(adapter.fetchMarkets(waitForToken));
      expect(tokens).toBe(1);
      expect(markets.map(({ marketId }) => marketId)).toContain(market);
      const { offsetMs } = await settled(adapter.clock.read());
      expect(Math.abs(offsetMs)).toBeLessThan(1_000);
      const { orderId } = await send(place());
      const wanted = { owner, oldestOwnMs: clock.nowMs(), limitMs: 10_000, waitForToken };
      const orders = await settled(adapter.fetchOpenOrders(wanted));
      expect(orders.map((order) => order.orderId)).toEqual([orderId]);
      // An account whose orders are young needs one request.
      expect(tokens).toBe(2);
      expect(Math.abs(adapter.clock.estimateMs() - clock.nowMs())).toBeLessThan(1_000);
    });

    test("fetches one order by its id, and says when there is none", async () => {
      const { adapter, settled, send, place } = await connected(open);
      const { orderId } = await send(place());
      expect(await settled(adapter.fetchOrder(orderId))).toMatchObject({ orderId, status: "NEW" });
      const nobody = `0x${"5".repeat(64)}` as OrderId;
      expect(await settled(adapter.fetchOrder(nobody))).toBe("absent");
    });

    test("can place and cancel, and accepts the nonces that the kernel allocates", async () => {
      const { adapter } = await connected(open);
      expect(adapter.capabilities.commands).toMatchObject({ place: true, cancel: true });
      expect(adapter.nonces.windowMs).toBeGreaterThanOrEqual(2 * NONCE_AHEAD_MAX_MS);
    });
  });
}
