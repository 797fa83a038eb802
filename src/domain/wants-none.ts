/** The reason of a side that a strategy leaves empty and says nothing of. */
export const WANTS_NONE = "the strategy wants none";
