import { TouchlineError } from "../../base/error.ts";
import type { Check, Checkup, Finding } from "./checkup.ts";
import { balances } from "./checks/balances.ts";
import { clock } from "./checks/clock.ts";
import { journal } from "./checks/journal.ts";
import { markets } from "./checks/markets.ts";
import { probe } from "./checks/probe.ts";
import { rateLimit } from "./checks/rate-limit.ts";
import { signer } from "./checks/signer.ts";
import { signing } from "./checks/signing.ts";
import { stream } from "./checks/stream.ts";

/** In the order in which they are made: each may rely on what the ones before it have found. */
export const checks: readonly Check[] = [
  signing,
  clock,
  signer,
  probe,
  markets,
  stream,
  balances,
  journal,
  rateLimit,
];

/** Makes every check, and tells each finding as soon as it is there. Resolves with all of them. */
export async function runChecks(
  checkup: Checkup,
  tell: (check: Check, finding: Finding) => void,
): Promise<readonly Finding[]> {
  const ill = new Set<string>();
  const all: Finding[] = [];
  for (const check of checks) {
    const missing = checks.filter(({ name }) => check.needs.includes(name) && ill.has(name));
    const findings = missing.length > 0 ? [skipped(missing)] : await findingsOf(check, checkup);
    if (findings.some(({ status }) => status === "problem" || status === "skipped")) {
      ill.add(check.name);
    }
    for (const finding of findings) {
      all.push(finding);
      tell(check, finding);
    }
  }
  return all;
}

const TRY_AGAIN = "Try again in a while; if it stays so, ask those who run the venue.";

function skipped(missing: readonly Check[]): Finding {
  const titles = missing.map(({ title }) => title).join(", ");
  return { status: "skipped", message: `not looked at; first: ${titles}` };
}

async function findingsOf(check: Check, checkup: Checkup): Promise<readonly Finding[]> {
  try {
    return await check.run(checkup);
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    const { message, hint = check.mend ?? TRY_AGAIN, code } = error;
    return [{ status: "problem", message, hint, details: { code } }];
  }
}
