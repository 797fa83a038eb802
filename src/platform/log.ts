import { pino, type DestinationStream, type Level } from "pino";
import { plainJson } from "../base/plain-text.ts";
import type { Log } from "../ports/log.ts";

/** Fields that are redacted from log lines, up to two levels deep. */
const secretFields = [
  "key",
  "privateKey",
  "password",
  "secret",
  "mnemonic",
  "tx",
  "bytes",
  "signature",
  "signed",
];

export interface LogOptions {
  readonly level?: Level;
  /** Where lines go; stderr by default, since stdout is for results. */
  readonly destination?: DestinationStream;
  /** A file to append to, or its descriptor, instead of stderr; without `destination` only. */
  readonly file?: string | number;
}

/** Bytes of lines that wait for a place that takes none, such as a full disk; what comes beyond them is dropped. */
const MAX_WAITING = 1_048_576;

/**
 * Structured log lines through pino, written synchronously, so that a crash loses none. A line that cannot be written throws nothing: it waits
 * for the next one.
 */
export function createLog(options: LogOptions = {}): Log {
  const destination = options.destination ?? fileDestination(options.file ?? 2);
  const logger = pino(
    {
      level: options.level ?? "info",
      base: null,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[hidden]",
      },
    },
    { write: (line) => destination.write(plainJson(line)) },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function fileDestination(dest: string | number): DestinationStream {
  const stream = pino.destination({ dest, sync: true, maxLength: MAX_WAITING });
  // Without a listener each failed write would be thrown into the bot's step.
  stream.on("error", () => undefined);
  return stream;
}
