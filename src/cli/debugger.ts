import { url } from "node:inspector";
import { TouchlineError } from "../base/error.ts";

/** Address of a debugger's port in this process; undefined when there is none. */
export function inspector(): string | undefined {
  return url();
}

/** Throws `DEBUGGER_OPEN` when a debugger listens, unless TOUCHLINE_DEBUG=1 says that it may. */
export function refuseDebugger(env: Readonly<Record<string, string | undefined>>): void {
  const address = inspector();
  if (address === undefined || env["TOUCHLINE_DEBUG"] === "1") return;
  throw new TouchlineError(
    "DEBUGGER_OPEN",
    `A debugger listens at ${address}, so every user of this machine can read the bot's key.`,
    { hint: "Start Node without --inspect. With TOUCHLINE_DEBUG=1 the bot runs anyway." },
  );
}
