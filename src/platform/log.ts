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

/** Bytes of lines that wait for a place that takes none, such as a full disk; what comes beyond them is lost, and counted. */
const MAX_WAITING = 1_048_576;

/** A place for lines that knows how many it has lost. */
interface LogDestination extends DestinationStream {
  /** Number of lines lost since the last call, once there is space again; 0 until then. */
  takeLost?(): number;
}

/**
 * Structured log lines through pino, written synchronously, so that a crash loses none. A line that cannot be written throws nothing: it waits
 * for the next one.
 */
export function createLog(options: LogOptions = {}): Log {
  const destination: LogDestination = options.destination ?? fileDestination(options.file ?? 2);
  const write = (line: string): void => {
    const lost = destination.takeLost?.() ?? 0;
    if (lost > 0)
      logger.error({ lost }, "lines of this log were lost, since it could not be written");
    destination.write(plainJson(line));
  };
  const logger = pino(
    {
      level: options.level ?? "info",
      base: null,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[hidden]",
      },
    },
    { write },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function fileDestination(dest: string | number): LogDestination {
  const stream = pino.destination({ dest, sync: true, maxLength: MAX_WAITING });
  // Without a listener each failed write would be thrown into the bot's step.
  stream.on("error", () => undefined);
  let lost = 0;
  stream.on("drop", () => {
    lost += 1;
  });
  return {
    write: (line) => stream.write(line),
    takeLost() {
      // A line that is dropped makes the stream try nothing, so it would never find that there is space again. True: the lines that wait are written.
      if (lost === 0 || !stream.write("")) return 0;
      const count = lost;
      lost = 0;
      return count;
    },
  };
}
