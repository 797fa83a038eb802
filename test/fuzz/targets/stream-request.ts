import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { assert } from "../../../src/base/assert.ts";
import { fixed } from "../../../src/domain/fixed.ts";
import { marketId } from "../../../src/domain/ids.ts";
import type { ServerSocketHandlers } from "../../../src/ports/server.ts";
import { few, hostileJson, hostileText, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { isAddress, isFields } from "../strict-values.ts";
import { defineTarget, Violation } from "../target.ts";
import { addresses, markets, VenueProbe } from "../venue-probe.ts";
import { hexText } from "../wire-grammar.ts";

const channel = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom("trade", "depth", "depthSnapshot"),
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom<string>(...markets) },
          { weight: 1, arbitrary: fc.constantFrom("9_9", "", "1_2@", "1_2 ") },
        ),
      )
      .map(([kind, market]) => `${kind}@${market}`),
  },
  { weight: 2, arbitrary: fc.constant("ticker") },
  {
    weight: 3,
    arbitrary: fc
      .oneof(fc.constantFrom<string>(...addresses), hexText(20))
      .map((address) => `userEvent@${address}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("ticker@", "ticker@1_2", "depth", "constructor@1_2", "__proto__"),
  },
  { weight: 1, arbitrary: hostileText },
);

const inputs = fc
  .record({
    method: fc.constantFrom("subscribe", "subscribe", "subscribe", "unsubscribe"),
    channels: fc.array(channel, { maxLength: 4 }),
    id: fc.oneof(fc.nat(), fc.maxSafeInteger(), hostileJson),
    spoils: few(spoil),
    scratches: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: few(scratch) },
    ),
  })
  .map(({ method, channels, id, spoils, scratches }) =>
    scratched(
      JSON.stringify(spoiled({ method, params: { channels }, id }, spoils)) ?? "",
      scratches,
    ),
  );

interface DecodedResponse {
  readonly code: number;
  /** Null when the request's id cannot be read. */
  readonly id: number | null;
  readonly method: string;
  readonly channels: readonly string[];
}

/** The response to a text by §6.2 and D28; code 200 means ok. */
function responseTo(text: string): DecodedResponse {
  const refused = { code: 400, id: null, method: "", channels: [] };
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return refused;
  }
  if (!isFields(request)) return refused;
  const { method, params } = request;
  const id = Number.isSafeInteger(request["id"]) ? Number(request["id"]) : null;
  const channels = isFields(params) ? params["channels"] : undefined;
  const isRequest =
    id !== null &&
    (method === "subscribe" || method === "unsubscribe") &&
    Array.isArray(channels) &&
    channels.every((name) => typeof name === "string");
  if (!isRequest) return { ...refused, id };
  const names: string[] = channels;
  // The first invalid channel decides.
  for (const name of names) {
    const code = codeOf(name, method);
    if (code !== 200) return { code, id, method, channels: [] };
  }
  return { code: 200, id, method, channels: names };
}

function codeOf(channel: string, method: string): number {
  if (channel === "ticker") return 200;
  const at = channel.indexOf("@");
  const [kind, parameter] = [channel.slice(0, Math.max(at, 0)), channel.slice(at + 1)];
  if (kind === "userEvent") return isAddress(parameter) ? 200 : 400;
  if (!["trade", "depth", "depthSnapshot"].includes(kind)) return 400;
  const [base = "", quote = "", ...more] = parameter.split("_");
  const isMarket = base !== "" && quote !== "" && more.length === 0 && !/\s/.test(parameter);
  if (!isMarket) return 400;
  if (method === "unsubscribe") return 200;
  return markets.some((known) => known === parameter) ? 200 : 404;
}

/** Requests on a stream: each gets exactly one response by D28, and a refused one subscribes nothing. */
export const streamRequestTarget = defineTarget({
  name: "stream requests",
  weight: 8,
  inputs,
  open: async () => {
    const probe = await VenueProbe.open();
    let frames: string[] = [];
    let subscribed = new Set<string>();
    let handlers: ServerSocketHandlers | undefined;
    let seen = 0;

    const connect = (): ServerSocketHandlers => {
      handlers?.closed();
      frames = [];
      subscribed = new Set();
      handlers = probe.connect({
        send: (text) => {
          frames.push(text);
        },
        ping: () => undefined,
        close: () => {
          throw new Violation("wrong-answer", "the connection was closed");
        },
        terminate: () => {
          throw new Violation("wrong-answer", "the connection was cut");
        },
        freeze: () => undefined,
        bufferedBytes: 0,
      });
      return handlers;
    };

    /** Checks that exactly the subscribed connections receive the events of an order and its cancel. */
    const checkPushes = (): void => {
      const [owner] = addresses;
      assert(owner !== undefined, "an owner");
      const { exchange } = probe.venue;
      frames = [];
      const command = {
        type: "place",
        marketId: marketId("1", "2"),
        side: "BUY",
        orderType: "LIMIT",
        orderMode: 0,
        price: fixed("1800"),
        quantity: fixed("1"),
      } as const;
      exchange.execute(owner, command, probe.clock.nowMs());
      exchange.execute(owner, { type: "cancel-all" }, probe.clock.nowMs());
      const received = frames.map((frame) => {
        const { params } = JSON.parse(frame) as { readonly params: { readonly channel: string } };
        return params.channel.toLowerCase();
      });
      const wanted = ["depth@1_2", `userevent@${owner}`].filter((name) => subscribed.has(name));
      if (!isDeepStrictEqual(new Set(received), new Set(wanted))) {
        throw new Violation(
          "wrong-answer",
          `received ${received.join()}, subscribed ${wanted.join()}`,
        );
      }
      if (received.length !== 2 * wanted.length)
        throw new Violation("wrong-answer", "received twice");
    };

    return {
      check: (text) => {
        seen += 1;
        const socket = handlers === undefined || seen % 100 === 0 ? connect() : handlers;
        frames = [];
        socket.frame(Buffer.from(text));
        const [reply = "{}", ...more] = frames;
        // As UTF-8 carries it: an unpaired surrogate becomes a replacement character.
        const response = responseTo(Buffer.from(text).toString());
        const { result, error, id } = JSON.parse(reply) as {
          readonly result?: unknown;
          readonly error?: { readonly code: number; readonly message: string };
          readonly id?: unknown;
        };
        const code = result === "ok" ? 200 : error?.code;
        if (more.length > 0) throw new Violation("wrong-answer", `${frames.length} frames`);
        if (code === 200 && response.code !== 200) throw new Violation("accepted-invalid", reply);
        if (code !== 200 && response.code === 200) throw new Violation("refused-valid", reply);
        if (code !== response.code || id !== zeroSafe(response.id)) {
          throw new Violation("wrong-answer", `${reply}, wanted ${response.code} ${response.id}`);
        }
        for (const name of response.channels) {
          if (response.method === "subscribe") subscribed.add(name.toLowerCase());
          else subscribed.delete(name.toLowerCase());
        }
        if (seen % 25 === 0) checkPushes();
        return response.code === 200 ? "taken" : "refused";
      },
      end: () => {
        handlers?.closed();
        probe.clock.advance(10_000);
        if (probe.clock.pending > 0) throw new Violation("wrong-answer", "timers go on");
        probe.checkSound();
      },
    };
  },
});

/** JSON cannot return -0. */
function zeroSafe(id: number | null): number | null {
  return id === 0 ? 0 : id;
}
