/**
 * Prices and quantities of commands are below this. The venue reads amounts of at most 40 characters with at most 18 decimals
 * (§4.4, D12): every legal amount below 10^21 fits.
 */
export const AMOUNT_BOUND = 1e21;
/** Where a message names the bound. */
export const AMOUNT_BOUND_TEXT = "10^21";
