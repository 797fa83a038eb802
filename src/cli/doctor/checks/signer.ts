import type { AccountSettings } from "../../../config/load-bot-config.ts";
import { distanceText } from "../../../domain/time-words.ts";
import { durationText } from "../../../domain/setting.ts";
import { keySource } from "../../../platform/key-source.ts";
import { activeSessions } from "../../../session/open-session.ts";
import { keystoreKeys } from "../../../session/session-keys.ts";
import { fetchSessions, sessionVenue } from "../../../session/session-maker.ts";
import type { WireSessionWallet } from "../../../spec/endpoints/session-list.ts";
import { type Check, type Checkup, type Finding, venueNowMs } from "../checkup.ts";

/** A session without renewal that ends within this time is worth a warning. */
const SOON_MS = 7 * 86_400_000;

/** Checks which key signs, for which owner, and until when. */
export const signer: Check = {
  name: "signer",
  title: "signer",
  needs: ["clock"],
  defaultHint: "Correct account.signer, or the keystore or variable that it names.",
  async run(checkup) {
    const { account } = checkup.config;
    if (account === undefined) {
      return [
        {
          status: "skipped",
          message:
            "the configuration has no account: sufficient for paper and replay, but `run` needs one",
        },
      ];
    }
    return [
      account.session === undefined
        ? await ofKey(checkup, account)
        : await ofSession(checkup, account, account.session),
    ];
  },
};

async function ofKey(checkup: Checkup, account: AccountSettings): Promise<Finding> {
  const { ports, env, results } = checkup;
  const opened = ports.crypto.signer(await keySource(account.signer, env).open());
  const owner = account.owner ?? opened.address;
  results.owner = owner;
  results.signer = opened;
  const details = { owner, signer: opened.address };
  if (owner === opened.address) {
    return { status: "ok", message: `${owner} signs with the owner's own key`, details };
  }
  const session = (
    await fetchSessions(sessionVenue(checkup.config.venue, owner, sessionPorts(checkup)))
  ).get(opened.address);
  if (session?.applied === true) {
    return {
      status: "warning",
      message: `${wallet(session, checkup)}; its expiry is not monitored`,
      hint: "With signer: { type: session, key: … } the bot warns and stops before it expires.",
      details: { ...details, ...expiryOf(session) },
    };
  }
  return {
    status: "problem",
    message: `the key belongs to ${opened.address}, ${notReason(session, checkup)} of the owner ${owner}`,
    hint: "Use the owner's key, correct account.owner, or create a session: touchline session create --help",
    details: { ...details, ...expiryOf(session) },
  };
}

async function ofSession(
  checkup: Checkup,
  account: AccountSettings,
  settings: NonNullable<AccountSettings["session"]>,
): Promise<Finding> {
  const { ports, env, results, config } = checkup;
  const { owner } = account;
  // The schema requires an owner for sessions.
  if (owner === undefined) return { status: "problem", message: "account.owner is missing" };
  results.owner = owner;
  const venue = sessionVenue(checkup.config.venue, owner, sessionPorts(checkup));
  const { log, crypto } = ports;
  const keys = keystoreKeys({ key: account.signer, settings, env, crypto, log });
  const [best] = await activeSessions({ venue, keys, log });
  const sessions = await fetchSessions(venue);
  const renewed =
    settings.renew === undefined
      ? ""
      : `, renewed ${durationText(settings.renew.beforeMs)} before that`;
  if (best === undefined) {
    const named = await keys.configured();
    const message = `the session wallet ${named} is ${notReason(sessions.get(named), checkup)} of ${owner}`;
    const details = { owner, signer: named, ...expiryOf(sessions.get(named)) };
    if (settings.renew !== undefined) {
      return {
        status: "warning",
        message,
        hint: "`run` creates a new session with the owner's signature (signer.renew).",
        details,
      };
    }
    const how = `touchline session create --config ${config.file}, or extend it if it has not ended`;
    return { status: "problem", message, hint: `Create the session: ${how}.`, details };
  }
  const session = sessions.get(best.address);
  const leftMs = best.expirySec * 1000 - venueNowMs(checkup);
  results.signer = await best.open();
  const message = `${wallet({ sessionAddress: best.address, ownerAddress: owner, expiry: best.expirySec }, checkup)}${renewed}`;
  const details = {
    owner,
    signer: best.address,
    expiry: best.expirySec,
    applied: session?.applied,
  };
  const extend = `touchline session extend ${best.address} --config ${config.file}`;
  if (leftMs <= settings.stopBeforeMs && settings.renew === undefined) {
    const within = durationText(settings.stopBeforeMs);
    const hint = `A bot stops ${within} before it expires (stopBefore): ${extend}`;
    return { status: "problem", message, hint, details };
  }
  if (leftMs <= SOON_MS && settings.renew === undefined) {
    const hint = `It is not renewed (signer.renew), and the bot stops before it expires. To extend it: ${extend}`;
    return { status: "warning", message, hint, details };
  }
  return { status: "ok", message, details };
}

function wallet(
  session: Pick<WireSessionWallet, "sessionAddress" | "ownerAddress" | "expiry">,
  checkup: Checkup,
): string {
  const { sessionAddress, ownerAddress, expiry } = session;
  return `session wallet ${sessionAddress.toLowerCase()} signs for ${ownerAddress.toLowerCase()}, expires ${distanceText(expiry, venueNowMs(checkup))}`;
}

/** Describes an address that is not a session wallet allowed to sign now. */
function notReason(session: WireSessionWallet | undefined, checkup: Checkup): string {
  if (session === undefined) return "no session wallet";
  const { expiry } = session;
  const nowMs = venueNowMs(checkup);
  return expiry * 1000 <= nowMs
    ? `a session wallet that expired ${distanceText(expiry, nowMs)}`
    : "a session wallet that is not applied (deleted, or not active yet)";
}

function expiryOf(session: WireSessionWallet | undefined) {
  return session === undefined ? {} : { expiry: session.expiry, applied: session.applied };
}

function sessionPorts(checkup: Checkup) {
  return { ...checkup.ports, venueNowMs: async () => venueNowMs(checkup) };
}
