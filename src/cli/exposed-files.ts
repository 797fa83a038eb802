import path from "node:path";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { OwnerPlace } from "../config/signer-place.ts";
import { isReadableByOthers, openToOthers } from "../platform/private-file.ts";
import type { PasswordPlace } from "../ports/key-source.ts";

/** A sentence for each file of a bot that other users may read or replace, although they should not, with what to do about it. */
export function exposures(config: BotConfig): readonly string[] {
  return [...exposedFiles(config).map(exposedText), ...openPlaces(config)];
}

/** Keystores, password files and token files that users other than their owner may read. */
export function exposedFiles({ account, dashboard }: BotConfig): readonly string[] {
  const renew = account?.session?.renew;
  const files = [
    ...filesOfKey(account?.signer),
    ...filesOfKey(renew?.owner),
    ...filesOfPassword(renew?.password),
    ...filesOfPassword(dashboard?.token),
  ];
  return [...new Set(files)].filter((file) => isReadableByOthers(file));
}

/** Code that the configuration names runs with the key, and a HALT file in the journal's folder stops the bot. */
function openPlaces({ file, journal, control }: BotConfig): readonly string[] {
  const places = [
    openToOthers(path.resolve(file)),
    openToOthers(journal.path, { makes: true }),
    ...(control.socket === undefined ? [] : [openToOthers(path.dirname(control.socket))]),
  ];
  const open = new Set(places.filter((place) => place !== undefined));
  return [...open].map(
    (place) =>
      `every user can change what is in ${place}, and so command the bot; run: chmod o-w ${place}`,
  );
}

/** One sentence, with what to do about it. */
export function exposedText(file: string): string {
  return `other users can read ${file}; run: chmod 600 ${file}`;
}

function filesOfKey(place: OwnerPlace | undefined): readonly string[] {
  return place?.type === "keystore" ? [place.path, ...filesOfPassword(place.password)] : [];
}

function filesOfPassword(place: PasswordPlace | undefined): readonly string[] {
  return place?.type === "file" ? [place.path] : [];
}
