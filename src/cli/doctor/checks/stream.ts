import { counted } from "../../../base/counted.ts";
import { StreamConnection } from "../../../gateway/stream-connection.ts";
import { StreamDecoder } from "../../../gateway/stream-decoder.ts";
import { channelName } from "../../../spec/stream.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";

const timing = { openMs: 10_000, pongMs: 10_000, pingMs: 10_000 };

/** Checks whether the streams can be subscribed to: each market's depth, the account's events, and a reply to our ping. */
export const stream: Check = {
  name: "stream",
  title: "streams",
  needs: ["clock"],
  async run(checkup) {
    const { config, results, ports } = checkup;
    const { ws } = config.venue;
    const keccak256 = (bytes: Uint8Array): Uint8Array => ports.crypto.keccak256(bytes);
    const { owner } = results;
    const user = owner === undefined ? undefined : channelName("userEvent", owner, keccak256);
    const wanted = [
      ...results.markets.map(({ marketId }) => `depth@${marketId}`),
      ...(user === undefined ? [] : [user.text]),
    ];
    // Without an account and a known market, the public ticker is left.
    const channels = wanted.length === 0 ? ["ticker"] : wanted;
    const startUs = ports.clock.monotonicUs();
    const failure = await attempt(checkup, ws, channels);
    const openMs = Math.round((ports.clock.monotonicUs() - startUs) / 100) / 10;
    return [findingOf(ws, channels, failure, openMs)];
  },
};

function findingOf(
  ws: string,
  channels: readonly string[],
  failure: string | undefined,
  openMs: number,
): Finding {
  if (failure === undefined) {
    const count = counted(channels.length, "channel");
    return {
      status: "ok",
      message: `${ws} confirms ${count} and responds to pings, in ${openMs.toFixed(1)} ms`,
      details: { channels, openMs },
    };
  }
  return {
    status: "problem",
    message: `${ws}: ${failure}`,
    hint: "Correct venue.ws. For the paper venue it is the REST address with /ws.",
    details: { channels },
  };
}

/** Resolves with what went wrong, or undefined when everything was confirmed. */
function attempt(
  { ports }: Checkup,
  ws: string,
  channels: readonly string[],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (failure: string | undefined): void => {
      resolve(failure);
      connection.fail("the check is over");
    };
    const connection = new StreamConnection(
      {
        ...ports,
        url: ws,
        timing,
        decoder: new StreamDecoder([]),
        subscriptions: () => [channels],
      },
      () => ({
        confirmed: () => connection.watch(),
        pong: () => end(undefined),
        refused: (_, { message, code }) => end(`refused: ${message} (${code})`),
        data: () => undefined,
        unreadable: (reason) => end(`it sent an unreadable message: ${reason}`),
        over: resolve,
      }),
    );
  });
}
