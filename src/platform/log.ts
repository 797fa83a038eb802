import { pino, type DestinationStream, type Level } from "pino";
import { plainJson } from "../base/plain-text.ts";
import type { Log } from "../ports/log.ts";
import { LineOutlet } from "./line-outlet.ts";

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
  /** An open file to append to instead of stderr; without `destination` only. */
  readonly descriptor?: number;
  /** Makes the text that is written of a line, by default the line itself. */
  format?(line: string): string;
}

/**
 * Structured log lines through pino, written synchronously, so that a crash loses none. A line that cannot be written at once throws
 * nothing and waits for nobody, see `LineOutlet`.
 */
export function createLog(options: LogOptions = {}): Log {
  const { level = "info", format = (line) => line } = options;
  const destination = options.destination ?? outletOf(options.descriptor ?? 2, format);
  const logger = pino(
    {
      level,
      base: null,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[hidden]",
      },
    },
    { write: (line) => destination.write(format(plainJson(line))) },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

/** Of all logs of the process, which has one listener for its end. */
const outlets: LineOutlet[] = [];

/** pino's number of the level `warn`. */
const WARN = 40;

function outletOf(descriptor: number, format: (line: string) => string): LineOutlet {
  const lost = (lines: number): string => {
    const fields = { level: WARN, time: Date.now(), lines, msg: "lines of this log were lost" };
    return format(`${JSON.stringify(fields)}\n`);
  };
  const outlet = new LineOutlet(descriptor, lost);
  if (outlets.length === 0) {
    process.once("exit", () => {
      for (const each of outlets) each.flushAtLast();
    });
  }
  outlets.push(outlet);
  return outlet;
}
