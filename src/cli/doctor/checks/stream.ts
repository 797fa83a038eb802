import type { StreamReply } from "../../../spec/stream.ts";
import { channelName, decodeServerFrame, encodeStreamRequest } from "../../../spec/stream.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";

const PATIENCE_MS = 10_000;

/** Whether the streams can be subscribed to: the depth of each market, the account's events, an answer to our ping. */
export const stream: Check = {
  name: "stream",
  title: "streams",
  needs: ["clock"],
  async run(checkup) {
    const { config, found, ports } = checkup;
    const { ws } = config.venue;
    const keccak256 = (bytes: Uint8Array): Uint8Array => ports.crypto.keccak256(bytes);
    const { owner } = found;
    const user = owner === undefined ? undefined : channelName("userEvent", owner, keccak256);
    const wanted = [
      ...found.markets.map(({ marketId }) => `depth@${marketId}`),
      ...(user === undefined ? [] : [user.text]),
    ];
    // Of an account without a market that is known there is still the one channel of everybody.
    const channels = wanted.length === 0 ? ["ticker"] : wanted;
    const startUs = ports.clock.monotonicUs();
    const trouble = await attempt(checkup, ws, channels);
    const openMs = Math.round((ports.clock.monotonicUs() - startUs) / 100) / 10;
    return [findingOf(ws, channels, trouble, openMs)];
  },
};

function findingOf(
  ws: string,
  channels: readonly string[],
  trouble: string | undefined,
  openMs: number,
): Finding {
  if (trouble === undefined) {
    const count = channels.length === 1 ? "1 channel" : `${channels.length} channels`;
    return {
      status: "ok",
      message: `${ws} confirms ${count} and answers pings, in ${openMs.toFixed(1)} ms`,
      details: { channels, openMs },
    };
  }
  return {
    status: "problem",
    message: `${ws}: ${trouble}`,
    hint: "Mend venue.ws. The paper venue's is /ws on its REST address.",
    details: { channels },
  };
}

/** Resolves with what went wrong, undefined when everything was confirmed. */
function attempt(
  { ports }: Checkup,
  ws: string,
  channels: readonly string[],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let isPonged = false;
    let reply: StreamReply | undefined;
    const end = (trouble: string | undefined): void => {
      patience.cancel();
      resolve(trouble);
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
        if (!frame.ok) end(`what it sends is not readable: ${frame.error}`);
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
        patience.cancel();
        resolve(reason === "" ? `closed with code ${code}` : reason);
      },
    });
    const patience = ports.timer.after(PATIENCE_MS, () =>
      end(
        reply === undefined
          ? `no answer to a subscription within ${PATIENCE_MS / 1000} s`
          : `no answer to a ping within ${PATIENCE_MS / 1000} s`,
      ),
    );
  });
}
