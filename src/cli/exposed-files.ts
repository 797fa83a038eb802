import path from "node:path";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { OwnerPlace } from "../config/signer-place.ts";
import { isReadableByOthers, openPlaceText, openToOthers } from "../platform/private-file.ts";
import type { PasswordPlace } from "../ports/key-source.ts";

/** A sentence for each file of a bot that other users may read or replace, although they should not, with what to do about it. */
export function exposures(config: BotConfig): readonly string[] {
  return [...exposedFiles(config).map(exposedText), ...openPlaces(config)];
}

/** Keystores and password files that users other than their owner may read. */
export function exposedFiles(config: BotConfig): readonly string[] {
  return secretFiles(config).filter((file) => isReadableByOthers(file));
}

function secretFiles({ account, alerts }: BotConfig): readonly string[] {
  const renew = account?.session?.renew;
  const files = [
    ...filesOfKey(account?.signer),
    ...filesOfKey(renew?.owner),
    ...filesOfPassword(renew?.password),
    ...alerts.flatMap(({ secret }) => filesOfPassword(secret)),
  ];
  return [...new Set(files)];
}

/** The configuration and its strategies run with the key, a keystore is the account, and a HALT file in the journal's folder stops the bot. */
function openPlaces(config: BotConfig): readonly string[] {
  const { file, account, strategies, journal, control } = config;
  const plugins = strategies.map(({ plugin }) => plugin);
  const folders = control.socket === undefined ? [] : [path.dirname(control.socket)];
  const owner = account?.session?.renew?.owner;
  const programs = owner?.type === "command" ? owner.command.slice(0, 1) : [];
  const files = [...plugins, ...programs].filter((each) => path.isAbsolute(each));
  const replaced = [path.resolve(file), ...files, ...secretFiles(config), ...folders];
  const places = [
    ...replaced.map((place) => openToOthers(place)),
    openToOthers(journal.path, { makes: true }),
  ];
  return [...new Set(places.filter((place) => place !== undefined).map(openPlaceText))];
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
