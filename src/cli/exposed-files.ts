import type { BotConfig } from "../config/load-bot-config.ts";
import type { OwnerPlace } from "../config/signer-place.ts";
import { isReadableByOthers } from "../platform/private-file.ts";
import type { PasswordPlace } from "../ports/key-source.ts";

/** Keystores, password files and token files of a bot that users other than their owner may read. */
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
