import { lieTo } from "./lied-to.ts";
import { lies } from "./lies.ts";

/** Tells one lie in a process of its own, so that memory and stalls are those of this lie. Its argument is the index of the lie. */
const at = Number(process.argv[2]);
const lie = lies[at];
if (lie === undefined) throw new RangeError(`there is no lie ${at}`);
const outcome = await lieTo(lie, at + 1);
process.send?.({ ...outcome, codes: [...outcome.codes] }, () => process.exit());
