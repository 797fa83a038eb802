/** How the values of a source from outside are received. */
export type FeedSettings = JsonFeedSettings | CcxtFeedSettings | RecordingFeedSettings;

/** A JSON document over HTTP that is read again and again, or JSON messages over a WebSocket. */
export interface JsonFeedSettings {
  readonly type: "json";
  readonly url: string;
  /** Between two requests over HTTP. */
  readonly everyMs: number;
  /** Sent when a WebSocket opens, for example to subscribe. */
  readonly send: string | undefined;
  readonly paths: JsonPaths;
}

/** Where a value is in a document, such as `data.0.bid`. */
export interface JsonPaths {
  readonly bid: string;
  readonly ask: string;
  readonly time: string | undefined;
}

export interface CcxtFeedSettings {
  readonly type: "ccxt";
  /** ccxt's id of the exchange. */
  readonly exchange: string;
  readonly symbol: string;
  readonly everyMs: number;
}

export interface RecordingFeedSettings {
  readonly type: "recording";
  /** The recording's folder. */
  readonly path: string;
  /** The source's name there. */
  readonly source: string;
}
