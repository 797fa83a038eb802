import { counted } from "../../../base/counted.ts";
import type { StreamReply } from "../../../spec/stream.ts";
import { channelName, decodeServerFrame, encodeStreamRequest } from "../../../spec/stream.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";

const TIMEOUT_MS = 10_000;

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
    let isPonged = false;
    let reply: StreamReply | undefined;
    const end = (failure: string | undefined): void => {
      timeout.cancel();
      resolve(failure);
      socket.terminate();
    };
    const endWhenDone = (): void => {
      if (reply === undefined || !isPonged) return;
      end("error" in reply ? `refused: ${reply.error.message} (${reply.error.code})` : undefined);
    };
    const socket = ports.connector.connect(ws, {
      opened() {
        socket.send(
          encodeStreamRequest({ method: "subscribe", params: { channels: [...channels] }, id: 1 }),
        );
        socket.ping();
      },
      frame(data) {
        const frame = decodeServerFrame(new TextDecoder().decode(data));
        if (!frame.ok) end(`it sent an unreadable message: ${frame.error}`);
        else if (frame.value.type === "reply" && frame.value.reply.id === 1) {
          ({ reply } = frame.value);
          endWhenDone();
        }
      },
      pong() {
        isPonged = true;
        endWhenDone();
      },
      closed: (code, reason) => {
        timeout.cancel();
        resolve(reason === "" ? `closed with code ${code}` : reason);
      },
    });
    const timeout = ports.timer.after(TIMEOUT_MS, () =>
      end(
        reply === undefined
          ? `no reply to a subscription within ${TIMEOUT_MS / 1000} s`
          : `no reply to a ping within ${TIMEOUT_MS / 1000} s`,
      ),
    );
  });
}
