import { baseAddress } from "../gateway/request.ts";
import type { Clock } from "../ports/clock.ts";
import type { Signer } from "../ports/crypto.ts";
import { SessionKeeper } from "../session/session-keeper.ts";
import type { Bot } from "./bot.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";
import { pacedHttp } from "./paced-http.ts";

/** Keeps the session wallet of a bot that signs with one, for as long as the bot runs; undefined for other bots. */
export function keepSession(
  bot: Bot,
  settings: LiveSettings,
  { session, signer, crypto, timer, log, http }: LivePorts,
  wiring: {
    /** The bot's own. */
    readonly clock: Clock;
    /** Of its rate budget. */
    readonly waitForToken: () => Promise<void>;
    /** Signing moves over to another session wallet. */
    readonly moved: (signer: Signer) => void;
  },
): SessionKeeper | undefined {
  if (session === undefined) return undefined;
  const { l1ChainId, renew, ...keeping } = session;
  const { rest, chainId } = settings.venue;
  const { clock, waitForToken, moved } = wiring;
  const keeper = new SessionKeeper({
    ...keeping,
    venue: {
      connection: { http: pacedHttp(http, waitForToken), rest: baseAddress(rest) },
      owner: bot.owner,
      chainId,
      l1ChainId,
      crypto,
      clock,
      timer,
    },
    log,
    signer,
    // A dry run sends nothing.
    renew: settings.dryRun === true ? undefined : renew,
    moved,
    warn: (code, message) => bot.warn(code, message),
    stop: (reason, limitMs) => bot.stopBecause(reason, limitMs),
  });
  keeper.start();
  void bot.done.then(() => keeper.close());
  return keeper;
}
