/**
 * The room `venue`: the paper venue, an `Exchange` behind the venue's REST API and streams.
 *
 * A request goes through the faults of the configuration (`faults/`), `rest-api.ts` and its handler in `handlers/`, or through
 * `submitTransaction` for signed ones, to the exchange. Each block that it makes is pushed by `streams/` to those who subscribed. With a `dataDir`,
 * `data/` logs every action, and holds responses and messages back until the action is on disk. `flow/` moves the market: makers and takers, or a
 * recording. `documents/` describes the interface.
 *
 * Imports base, domain, spec, ports and exchange.
 */

import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { gridRules } from "../domain/grid-rules.ts";
import { marketId, tokenId } from "../domain/ids.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { DatabaseOpener } from "../ports/database.ts";
import type { ServerFactory, ServerRequest, ServerResponse } from "../ports/server.ts";
import { Exchange } from "../exchange/exchange.ts";
import type { Layer1Outcome, WithdrawalRecord } from "../exchange/withdrawals.ts";
import type { ExchangeConfig, ExchangeLimits } from "../exchange/config.ts";
import type { Block } from "../exchange/records.ts";
import { BODY_BYTES_MAX, streamLimits, type StreamLimits } from "../spec/limits.ts";
import { startBalances, type VenueConfig } from "./config.ts";
import { VenueData } from "./data/venue-data.ts";
import { acrossOrigins, refuseHost, refuseOrigin } from "./cross-origin.ts";
import { serveDocument } from "./documents/documents.ts";
import { FaultSchedule } from "./faults/fault-schedule.ts";
import type { Flow } from "./flow/flow.ts";
import type { RecordedMarket } from "./flow/recorded-market.ts";
import { ReplayFlow } from "./flow/replay-flow.ts";
import { SyntheticFlow } from "./flow/synthetic-flow.ts";
import { RequestRateLimit } from "./rate-limit.ts";
import { DueStops } from "./due-stops.ts";
import { Settlements } from "./settlements.ts";
import { serveRest, refuseAll } from "./rest-api.ts";
import { StreamApi } from "./streams/stream-api.ts";
import type { VenueContext } from "./venue-context.ts";

/** Path of the streams, on the REST port (D1). */
/** A connection may read this part of an address's rate whatever others read of it: a client has about as many connections. */
const READ_SHARES = 8;
const SOCKET_PATH = "/ws";
/** The database in a `dataDir`; SQLite keeps its own files beside it. */
const DATA_FILE = "venue.db";

export interface VenuePorts {
  readonly server: ServerFactory;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly crypto: Crypto;
  readonly log: Log;
  /** Required with a `dataDir`. */
  readonly database?: DatabaseOpener;
}

export interface VenueOptions {
  readonly config: VenueConfig;
  readonly ports: VenuePorts;
  /** Port 0 picks a free port. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The recording that `flow: { replay }` names, read by the caller. */
  readonly recording?: readonly RecordedMarket[];
  /** How the layer-1 phase of a withdrawal ends. By default the fault schedule decides; without faults withdrawals are executed (D33). */
  readonly layer1?: (withdrawal: WithdrawalRecord) => Layer1Outcome;
  /** Overrides of the interface's limits (§6.1), for tests of clients. */
  readonly streamLimits?: Partial<StreamLimits>;
  /** Overrides of what the exchange remembers, for tests that measure memory. Without a `dataDir` only. */
  readonly exchangeLimits?: Partial<ExchangeLimits>;
}

export interface RunningVenue {
  /** `http://HOST:PORT` */
  readonly rest: string;
  /** `ws://HOST:PORT/ws` */
  readonly ws: string;
  readonly exchange: Exchange;
  /** Stops the flow, closes stream connections with a code, and closes the port. */
  close(): Promise<void>;
}

/**
 * Starts the paper venue: an exchange behind REST and streams, with the order flow of the configuration. Rejects with
 * TouchlineError `PORT_TAKEN` when the port is in use, `RECORDING_MISSING` or `RECORDING_MARKET` when the replay flow
 * has nothing to play, `DATABASE_…` and `DATA_DIR_…` when the `dataDir` cannot be used.
 */
export async function startVenue(options: VenueOptions): Promise<RunningVenue> {
  const { config, listen } = options;
  const faults = new FaultSchedule(config.faults, options.ports);
  const ports = config.faults.length === 0 ? options.ports : faults.ports(options.ports);
  const recording = recordingFor(config, options.recording);
  let streams: StreamApi | undefined;
  const publish = (block: Block): void => {
    streams?.publish(block);
    dueStops?.noteBlock();
  };
  const stopAll = (): void => {
    flow?.stop();
    settlements?.stop();
    dueStops?.stop();
    faults.stop();
    streams?.close();
  };
  let flow: Flow | undefined;
  let settlements: Settlements | undefined;
  let dueStops: DueStops | undefined;
  const data = openData(config, ports, publish, stopAll);
  try {
    const exchange =
      data?.exchange ?? new Exchange(exchangeConfig(config, options.exchangeLimits), publish);
    settlements = new Settlements(exchange, ports, {
      delayMs: config.withdrawals.delay,
      layer1: options.layer1 ?? ((withdrawal) => faults.layer1(withdrawal)),
    });
    dueStops = new DueStops(exchange, ports);
    const context: VenueContext = {
      config,
      exchange,
      settlements,
      clock: ports.clock,
      crypto: ports.crypto,
      log: ports.log,
      rateLimit: new RequestRateLimit(config.rateLimit.perSecond),
      readShare: new RequestRateLimit(config.rateLimit.perSecond / READ_SHARES),
      startedAtMs: data?.createdAtMs ?? ports.clock.nowMs(),
      settle: () => data?.commits.settle(),
    };
    const api = new StreamApi(context, ports.timer, { ...streamLimits, ...options.streamLimits });
    streams = api;
    const names = { host: listen.host.toLowerCase(), allowHosts: config.allowHosts };
    const server = await ports.server.listen({
      ...listen,
      socketPath: SOCKET_PATH,
      maxBodyBytes: BODY_BYTES_MAX,
      maxFrameBytes: BODY_BYTES_MAX,
      respond: (request) => {
        const refused = refuseHost(names, request.headers);
        if (refused !== undefined)
          return refuseAll({ code: refused.status, errMsg: refused.errMsg });
        return acrossOrigins(config.allowOrigin, request, () => respond(context, data, request));
      },
      refuseSocket: (headers) =>
        refuseHost(names, headers) ?? refuseOrigin(config.allowOrigin, headers),
      connected: (socket) => api.connected(socket),
    });
    flow = startFlow(context, ports, recording, data);
    const host = server.host.includes(":") ? `[${server.host}]` : server.host;
    return {
      rest: `http://${host}:${server.port}`,
      ws: `ws://${host}:${server.port}${SOCKET_PATH}`,
      exchange,
      close: async () => {
        stopAll();
        await server.close();
        data?.close();
      },
    };
  } catch (thrown) {
    settlements?.stop();
    dueStops?.stop();
    data?.close();
    throw thrown;
  }
}

/** The exchange of the `dataDir`; undefined when the state is kept in memory. */
function openData(
  config: VenueConfig,
  ports: VenuePorts,
  publish: (block: Block) => void,
  failed: () => void,
): VenueData | undefined {
  if (config.dataDir === null) return undefined;
  assert(ports.database !== undefined, "a venue with a dataDir is given the database port");
  const { clock, timer, log } = ports;
  const database = ports.database.open(`${config.dataDir}/${DATA_FILE}`);
  try {
    const exchange = exchangeConfig(config);
    return VenueData.open({ database, config: exchange, clock, timer, log, publish, failed });
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Responds once every action that the response reports is on disk. */
function respond(
  context: VenueContext,
  data: VenueData | undefined,
  request: ServerRequest,
): ServerResponse | Promise<ServerResponse> {
  const document = serveDocument(request, SOCKET_PATH);
  if (document !== undefined) return document;
  if (request.path === SOCKET_PATH) return refuseAll(UPGRADE_MISSING);
  if (data?.commits.hasFailed === true) return refuseAll(UNWRITABLE);
  const response = serveRest(context, request);
  const settled = data?.commits.whenSettled();
  if (settled === undefined) return response;
  return settled.then(
    () => response,
    () => refuseAll(UNWRITABLE),
  );
}

/** For a request to the streams' path without an upgrade. */
const UPGRADE_MISSING = { code: 400, errMsg: `${SOCKET_PATH} is for WebSocket connections only.` };

/** To a client the outcome is unknown (D11: any 5xx); after the venue's next start, the request has had no effect. */
const UNWRITABLE = { code: 503, errMsg: "The venue cannot write its data." };

/** Bounds the work of one block, which is one piece for the event loop: each of them takes a few milliseconds (docs/performance.md). */
const VENUE_LIMITS = {
  openOrdersPerAccount: 5_000,
  openOrdersOfAll: 100_000,
  tradesPerBlock: 2_000,
  consequencesPerBlock: 500,
};

function exchangeConfig(config: VenueConfig, limits: Partial<ExchangeLimits> = {}): ExchangeConfig {
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
      rules: gridRules.spec,
    })),
    accounts: startBalances(config),
    tokens: config.tokens.map((token) => tokenId(token.tokenId)),
    nativeToken: config.nativeToken === undefined ? undefined : tokenId(config.nativeToken),
    faucet: config.faucet,
    limits: { ...VENUE_LIMITS, ...limits },
  };
}

function startFlow(
  { config, exchange }: VenueContext,
  ports: VenuePorts,
  recording: readonly RecordedMarket[],
  data: VenueData | undefined,
): Flow | undefined {
  if (config.flow === "none") return undefined;
  if (!("synthetic" in config.flow)) {
    return new ReplayFlow(exchange, recording, config.flow.speed, ports);
  }
  const flow = new SyntheticFlow(exchange, config.flow.synthetic, ports);
  data?.noteFlowAccounts(flow.accounts);
  return flow;
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
