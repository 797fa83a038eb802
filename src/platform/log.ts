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
}

/** Structured log lines through pino, written synchronously, so that a crash loses none. */
export function createLog(options: LogOptions = {}): Log {
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true });
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
