/** Who gave an operator's command, and from where: an access token's name and an address, or `cli` and the local socket. */
export interface CommandOrigin {
  readonly who: string;
  readonly from: string;
  /** A program decided on it: what only a person may do is refused (`NOT_FOR_AGENTS`). */
  readonly isAgent?: true;
}

/** For spreading: left out for a command of the program itself, as at the end of `--duration`. */
export function givenBy(by: CommandOrigin | undefined): { readonly by?: CommandOrigin } {
  return by === undefined ? {} : { by };
}
