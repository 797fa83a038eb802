import { openPast } from "../../../runtime/open-past.ts";
import { showPath } from "../../../config/show-path.ts";
import type { Check } from "../checkup.ts";

/** Whether `run` may take the journal: no other bot has it, it can be read, and it is this account's. */
export const journal: Check = {
  name: "journal",
  title: "journal",
  needs: [],
  mend: "Give the bot another journal.path, or look: touchline journal verify --help",
  async run({ config, ports, found }) {
    const { path } = config.journal;
    const shown = showPath(path);
    const { store } = ports;
    // Asking for the lock of a folder that is not there would make it.
    if (store.list(path).length === 0) {
      return [{ status: "ok", message: `${shown} is empty: a first run`, details: { path } }];
    }
    if (!store.lock(path)) {
      found.isBusy = true;
      return [
        {
          status: "warning",
          message: `another bot is at work with ${shown}`,
          hint: "`run` with this configuration would refuse to start beside it.",
          details: { path },
        },
      ];
    }
    try {
      const owner = config.account?.owner;
      const orders =
        owner === undefined ? 0 : openPast(config, store, owner).restored.orders.length;
      const open = orders === 0 ? "no order is left open in it" : `${orders} orders are open in it`;
      return [{ status: "ok", message: `${shown}: ${open}`, details: { path, orders } }];
    } finally {
      store.unlock(path);
    }
  },
};
