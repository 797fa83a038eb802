import { TouchlineError } from "../base/error.ts";
import { marketId, tokenId } from "../domain/ids.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { ServerFactory } from "../ports/server.ts";
import { Exchange } from "../exchange/exchange.ts";
import { BODY_BYTES_MAX, streamLimits, type StreamLimits } from "../spec/limits.ts";
import { startBalances, type VenueConfig } from "./config.ts";
import type { Flow } from "./flow/flow.ts";
import type { RecordedMarket } from "./flow/recorded-market.ts";
import { ReplayFlow } from "./flow/replay-flow.ts";
import { SyntheticFlow } from "./flow/synthetic-flow.ts";
import { RateLimit } from "./rate-limit.ts";
import { answerRest } from "./rest-api.ts";
import { StreamApi } from "./streams/stream-api.ts";
import type { VenueContext } from "./venue-context.ts";

/** Where clients find the streams, on the REST port (D1). */
export const SOCKET_PATH = "/ws";

export interface VenuePorts {
  readonly server: ServerFactory;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly crypto: Crypto;
  readonly log: Log;
}

export interface VenueOptions {
  readonly config: VenueConfig;
  readonly ports: VenuePorts;
  /** Port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The recording that `flow: { replay }` names, read by the caller. */
  readonly recording?: readonly RecordedMarket[];
  /** Other limits than the interface's (§6.1), for tests of clients. */
  readonly streamLimits?: Partial<StreamLimits>;
}

export interface RunningVenue {
  /** `http://HOST:PORT` */
  readonly rest: string;
  /** `ws://HOST:PORT/ws` */
  readonly ws: string;
  readonly exchange: Exchange;
  /** Stops the flow, says goodbye to stream clients, closes the port. */
  close(): Promise<void>;
}

/**
 * Starts the paper venue: an exchange behind REST and streams, moved by the flow that the config names. Rejects with
 * TouchlineError `PORT_TAKEN` when the port is in use, `RECORDING_MISSING` or `RECORDING_MARKET` when the replay flow
 * has nothing to play.
 */
export async function startVenue(options: VenueOptions): Promise<RunningVenue> {
  const { config, ports, listen } = options;
  const recording = recordingFor(config, options.recording);
  const exchange = new Exchange(exchangeConfig(config), (block) => streams.publish(block));
  const context: VenueContext = {
    config,
    exchange,
    clock: ports.clock,
    crypto: ports.crypto,
    log: ports.log,
    rateLimit: new RateLimit(config.rateLimit.perSecond),
    startedAtMs: ports.clock.nowMs(),
  };
  const streams = new StreamApi(context, ports.timer, {
    ...streamLimits,
    ...options.streamLimits,
  });
  const server = await ports.server.listen({
    ...listen,
    socketPath: SOCKET_PATH,
    maxBodyBytes: BODY_BYTES_MAX,
    maxFrameBytes: BODY_BYTES_MAX,
    respond: (request) => answerRest(context, request),
    connected: (socket) => streams.connected(socket),
  });
  const flow = startFlow(context, ports, recording);
  const host = server.host.includes(":") ? `[${server.host}]` : server.host;
  return {
    rest: `http://${host}:${server.port}`,
    ws: `ws://${host}:${server.port}${SOCKET_PATH}`,
    exchange,
    close: async () => {
      flow?.stop();
      streams.close();
      await server.close();
    },
  };
}

function exchangeConfig(config: VenueConfig) {
  const symbols = new Map(config.tokens.map((token) => [token.tokenId, token.symbol]));
  return {
    markets: config.markets.map((market) => ({
      marketId: marketId(market.base, market.quote),
      baseToken: tokenId(market.base),
      quoteToken: tokenId(market.quote),
      ticker: `${symbols.get(market.base)}/${symbols.get(market.quote)}`,
      makerFee: market.makerFee,
      takerFee: market.takerFee,
      listed: market.listed,
    })),
    accounts: startBalances(config),
    faucet: config.faucet,
  };
}

function startFlow(
  { config, exchange }: VenueContext,
  ports: VenuePorts,
  recording: readonly RecordedMarket[],
): Flow | undefined {
  if (config.flow === "none") return undefined;
  if ("synthetic" in config.flow) return new SyntheticFlow(exchange, config.flow.synthetic, ports);
  return new ReplayFlow(exchange, recording, config.flow.speed, ports);
}

function recordingFor(
  config: VenueConfig,
  recording: readonly RecordedMarket[] | undefined,
): readonly RecordedMarket[] {
  if (config.flow === "none" || "synthetic" in config.flow) return [];
  const folder = config.flow.replay;
  if (recording === undefined) {
    throw new TouchlineError("RECORDING_MISSING", `The recording ${folder} was not read.`, {
      hint: "Give startVenue the recorded markets that flow.replay names.",
    });
  }
  const known = new Set<string>(
    config.markets.map((market) => marketId(market.base, market.quote)),
  );
  const stranger = recording.find((market) => !known.has(market.marketId));
  if (recording.length > 0 && stranger === undefined) return recording;
  throw new TouchlineError(
    "RECORDING_MARKET",
    stranger === undefined
      ? `The recording ${folder} has no market of this venue.`
      : `The recording ${folder} has market ${stranger.marketId}, which this venue does not have.`,
    { hint: "Name the recorded markets in the venue's tokens and markets.", context: { folder } },
  );
}
