import { pino, type DestinationStream, type Level } from "pino";
import type { Log } from "../ports/log.ts";

/** Fields that never reach a log, wherever they stand up to two levels deep. */
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
  /** Where lines go; stderr when absent, so that stdout stays for results. */
  readonly destination?: DestinationStream;
}

/** Structured lines through pino, written before the call returns: the last words of a crash are not lost. */
export function createLog(options: LogOptions = {}): Log {
  const logger = pino(
    {
      level: options.level ?? "info",
      base: null,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[hidden]",
      },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}
