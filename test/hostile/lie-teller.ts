import { lieTo } from "./lied-to.ts";
import { lies } from "./lies.ts";

/** A process that tells one lie after another: it receives the index of each and answers with the outcome. Its parent ends it. */
process.on("message", (at: number) => void tell(at));

async function tell(at: number): Promise<void> {
  const lie = lies[at];
  if (lie === undefined) throw new RangeError(`there is no lie ${at}`);
  const outcome = await lieTo(lie, at + 1);
  process.send?.({ ...outcome, codes: [...outcome.codes] });
}
