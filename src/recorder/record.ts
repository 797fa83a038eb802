import { marketOfTicker } from "../domain/market-of-ticker.ts";
import { TouchlineError } from "../base/error.ts";
import { Prng } from "../base/prng.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { fixedText } from "../domain/fixed.ts";
import { type BookFetcher, persistentBookFetcher } from "../gateway/book-fetcher.ts";
import { Streams } from "../gateway/streams.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import { VenueClient } from "../gateway/venue-client.ts";
import { fetchVenueMarkets } from "../gateway/venue-markets.ts";
import type { Input } from "../kernel/input.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import { checkFolder, removeRecording } from "../recordings/new-recording.ts";
import { Recorder, type RecorderCounts, type RecorderMark } from "../recordings/recorder.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import { SourceWriter } from "../recordings/source-file.ts";
import { RecordingWriter } from "../recordings/recording-writer.ts";
import type { PriceFeed, SourceInput } from "../sources/price-feed.ts";
import { type FedSource, priceFeeds } from "../sources/price-feeds.ts";
import { RecordedFrames } from "./recorded-frames.ts";

export interface RecordSettings {
  readonly venue: { readonly rest: string; readonly ws: string };
  readonly markets: readonly MarketId[];
  /** Path of a folder that does not exist yet or is empty. */
  readonly out: string;
  readonly streamTiming?: StreamTiming;
  readonly sources?: readonly FedSource[];
}

export interface RecordPorts {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly crypto: Pick<Crypto, "keccak256">;
  readonly io: RecordingIo;
  readonly log: Log;
  /** Seed of the jitter of waits. */
  readonly seed: number;
}

export interface RecordEvents {
  onMark(mark: RecorderMark): void;
  /** The recording failed, for example because the disk is full. The receiver should call `stop`. */
  failed(error: unknown): void;
}

/** Interval of writes to the operating system. A killed process loses at most this much. */
const FLUSH_MS = 1000;

/**
 * Fetches the venue's markets and then records their public streams until `stop`. Rejects with TouchlineError
 * `MARKET_UNKNOWN`, `RECORDING_EXISTS` or `FOLDER_TAKEN`, or with VenueError or TransportError.
 */
export async function startRecord(
  settings: RecordSettings,
  ports: RecordPorts,
  events: RecordEvents,
): Promise<RunningRecord> {
  const { timer, log, http } = ports;
  checkFolder(ports.io, settings.out);
  const client = new VenueClient({ http, rest: settings.venue.rest });
  const { markets: known } = await fetchVenueMarkets(client, { timer, log });
  const markets = settings.markets.map((marketId) => {
    const id = marketOfTicker(known, marketId);
    const market = known.find((candidate) => candidate.marketId === id);
    if (market !== undefined) return market;
    throw new TouchlineError("MARKET_UNKNOWN", `The venue has no market ${marketId}.`, {
      hint: "`touchline market list` shows the venue's markets.",
    });
  });
  const ids = markets.map(({ marketId }) => marketId);
  const made: { record?: RunningRecord } = {};
  const failed = (source: string, reason: string): void =>
    log.warn({ code: "SOURCE_FAILED", source, reason }, "a price source gives no price");
  const feedPorts = { ...ports, recordings: ports.io, failed };
  const prices = await priceFeeds(settings.sources, feedPorts, (input, receivedUs) =>
    made.record?.takeSource(input, receivedUs),
  );
  const start = { client, markets, prices };
  made.record = new RunningRecord({ ...settings, markets: ids }, ports, events, start);
  return made.record;
}

/** A recording in progress of a venue's public streams. */
export class RunningRecord {
  readonly markets: readonly Market[];
  readonly #settings: RecordSettings;
  readonly #ports: RecordPorts;
  readonly #events: RecordEvents;
  readonly #writer: RecordingWriter;
  readonly #recorder: Recorder;
  readonly #streams: Streams;
  readonly #frames: RecordedFrames;
  readonly #fetcher: BookFetcher;
  readonly #sources: SourceWriter;
  readonly #prices: PriceFeed;
  #sourceValues = 0;
  #flushing: TimerHandle | undefined;
  #isOver = false;

  constructor(
    settings: RecordSettings,
    ports: RecordPorts,
    events: RecordEvents,
    start: {
      readonly client: VenueClient;
      readonly markets: readonly Market[];
      readonly prices: PriceFeed;
    },
  ) {
    this.#settings = settings;
    this.#ports = ports;
    this.#events = events;
    this.markets = start.markets;
    const { clock, timer, log, connector, crypto } = ports;
    this.#writer = new RecordingWriter(ports.io, settings.out);
    this.#sources = new SourceWriter(ports.io, settings.out);
    this.#prices = start.prices;
    const fed = (settings.sources ?? []).flatMap(({ name, feed }) =>
      feed === undefined ? [] : [name],
    );
    this.#writer.writeManifest({
      format: "touchline-recording",
      version: 1,
      markets: start.markets.map(({ marketId, ticker, makerFee, takerFee }) => ({
        marketId,
        symbol: ticker,
        tradeIds: "unique",
        grid: "venue",
        makerFee: fixedText(makerFee),
        takerFee: fixedText(takerFee),
      })),
      ...(fed.length === 0 ? {} : { sources: fed }),
      source: `record: public streams of ${settings.venue.rest}`,
    });
    this.#fetcher = persistentBookFetcher({
      client: start.client,
      timer,
      log,
      fetched: (marketId, book) => {
        const atUs = this.#atUs(clock.monotonicUs());
        this.#safely(() => this.#recorder.book(marketId, book, atUs));
      },
    });
    this.#recorder = new Recorder({
      writer: this.#writer,
      markets: settings.markets,
      requestBook: (marketId) => this.#fetcher.want(marketId),
      onMark: (mark) => events.onMark(mark),
    });
    this.#frames = new RecordedFrames(settings.markets, (reason) => {
      this.#safely(() => this.#recorder.unreadable(reason, this.#atUs(clock.monotonicUs())));
    });
    this.#streams = new Streams({
      connector,
      url: settings.venue.ws,
      clock,
      timer,
      log,
      prng: new Prng(ports.seed),
      keccak256: (bytes) => crypto.keccak256(bytes),
      markets: settings.markets,
      owner: undefined,
      ...(settings.streamTiming === undefined ? {} : { timing: settings.streamTiming }),
      decoder: this.#frames,
      push: (input, receivedUs) => this.#safely(() => this.#take(input, this.#atUs(receivedUs))),
    });
    this.#streams.start();
    this.#prices.start();
    this.#flushSoon();
  }

  get counts(): RecorderCounts & { readonly sourceValues: number } {
    return { ...this.#recorder.counts, sourceValues: this.#sourceValues };
  }

  takeSource(input: SourceInput, receivedUs: number): void {
    const { name, bid, ask, timeMs } = input;
    const value = { name, bid, ask, ...(timeMs === undefined ? {} : { timeMs }) };
    this.#sourceValues += 1;
    this.#safely(() => this.#sources.append({ atUs: this.#atUs(receivedUs), ...value }));
  }

  /** Ends the recording; all received data is on disk when it returns. False when there was none; then the folder is removed. */
  stop(): boolean {
    if (this.#isOver) return true;
    this.#isOver = true;
    this.#prices.stop();
    this.#streams.stop();
    this.#fetcher.close();
    this.#flushing?.cancel();
    this.#writer.close();
    this.#sources.close();
    const { depthEvents, trades, books } = this.counts;
    if (depthEvents + trades + books > 0) return true;
    removeRecording(this.#ports.io, this.#settings.out);
    return false;
  }

  #take(input: Input, atUs: number): void {
    switch (input.type) {
      case "depth":
      case "trade": {
        const push = this.#frames.pushOf(input);
        if (push?.kind === "depth") this.#recorder.depth(push.payload, atUs);
        else if (push?.kind === "trade") this.#recorder.trade(push.payload, atUs);
        return;
      }
      case "stream":
        if (input.state === "opened") this.#recorder.opened(atUs);
        else if (input.state === "closed") {
          for (const { marketId } of this.markets) this.#fetcher.abort(marketId);
          this.#recorder.closed(input.reason, atUs);
        } else if (input.state === "alive") this.#recorder.alive(atUs);
        return;
      default:
        // A `depthSnapshot@` repeats the content of the depth events, so it is not recorded.
        return;
    }
  }

  #flushSoon(): void {
    this.#flushing = this.#ports.timer.after(FLUSH_MS, () => {
      this.#safely(() => {
        this.#writer.flush();
        this.#sources.flush();
      });
      if (!this.#isOver) this.#flushSoon();
    });
  }

  /** Converts a monotonic time to Unix time, both in microseconds. */
  #atUs(receivedUs: number): number {
    const { clock } = this.#ports;
    return Math.round(clock.nowMs() * 1000 - (clock.monotonicUs() - receivedUs));
  }

  #safely(run: () => void): void {
    if (this.#isOver) return;
    try {
      run();
    } catch (thrown) {
      this.#events.failed(thrown);
    }
  }
}
