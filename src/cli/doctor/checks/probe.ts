import { toHex } from "../../../base/hex.ts";
import type { CommandOutcome } from "../../../domain/command.ts";
import type { OrderId } from "../../../domain/ids.ts";
import { probeVerdict } from "../../../kernel/orders/probe.ts";
import { CommandSigner } from "../../../spec/sign-command.ts";
import { type Check, type Checkup, type Finding, venueNowMs } from "../checkup.ts";

const TRIES = 3;
const PAUSE_MS = 500;

/** Checks whether the venue accepts our signature by canceling an order that cannot exist: "no such order" proves it. */
export const probe: Check = {
  name: "probe",
  title: "chain and signature",
  needs: ["clock"],
  async run(checkup) {
    const { results, config } = checkup;
    const { chainId } = config.venue;
    if (results.signer === undefined || results.owner === undefined) {
      return [{ status: "skipped", message: "not checked: there is no key to sign with" }];
    }
    const outcome = await sendProbe(checkup, results.signer, results.owner);
    return [findingOf(outcome, chainId)];
  },
};

async function sendProbe(
  checkup: Checkup,
  signer: NonNullable<Checkup["results"]["signer"]>,
  owner: NonNullable<Checkup["results"]["owner"]>,
): Promise<CommandOutcome> {
  const { ports, client, config } = checkup;
  const { crypto } = ports;
  const commandSigner = new CommandSigner({ owner, chainId: config.venue.chainId, crypto, signer });
  const orderId = toHex(ports.randomBytes(32)) as OrderId;
  for (let attempt = 1; ; attempt += 1) {
    const nonce = venueNowMs(checkup);
    const outcome = await client.submit(
      "cancel",
      commandSigner.sign({ type: "cancel", orderId, nonce }),
    );
    if (probeVerdict(outcome) !== "unreadable" || attempt >= TRIES) return outcome;
    await new Promise<void>((resolve) => {
      ports.timer.after(PAUSE_MS, resolve);
    });
  }
}

function findingOf(outcome: CommandOutcome, chainId: number): Finding {
  const details = { chainId, outcome: outcome.type };
  const reply = outcome.type === "accepted" ? "" : outcome.message;
  switch (probeVerdict(outcome)) {
    case "proven":
      return {
        status: "ok",
        message: `chain id ${chainId} and signature are accepted (a cancel of a random order id)`,
        details,
      };
    case "refused":
      return {
        status: "problem",
        message: `the venue refuses a harmless signed cancel: ${reply}`,
        hint:
          outcome.type === "refused" && outcome.reason === "invalid"
            ? `The key venue.chainId is ${chainId}: ask the venue for its layer-2 chain id.`
            : "The keys account.owner and account.signer do not belong together: touchline session list",
        details,
      };
    case "unreadable":
      return {
        status: "warning",
        message: `chain id and signature are not verified: the response to a harmless signed cancel was inconclusive (${reply})`,
        hint: "Try again; a bot would start with the same warning.",
        details,
      };
  }
}
