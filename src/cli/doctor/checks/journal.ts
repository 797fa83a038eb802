import { counted } from "../../../base/counted.ts";
import { showPath } from "../../../config/show-path.ts";
import { restore } from "../../../journal/restore.ts";
import { openPast } from "../../../runtime/open-past.ts";
import type { Check } from "../checkup.ts";

/** Checks whether `run` can use the journal: it is not in use, readable, and belongs to this account. */
export const journal: Check = {
  name: "journal",
  title: "journal",
  needs: [],
  defaultHint: "Choose another journal.path, or inspect it: touchline journal verify --help",
  async run({ config, ports, results }) {
    const { path } = config.journal;
    // The signer's check knows the owner of an account that names none.
    const owner = results.owner ?? config.account?.owner;
    const shown = showPath(path);
    const { store } = ports;
    // Locking a folder that does not exist would create it.
    if (store.list(path).length === 0) {
      return [
        { status: "ok", message: `${shown} is empty, so this is the first run`, details: { path } },
      ];
    }
    if (!store.lock(path)) {
      results.isBusy = true;
      return [
        {
          status: "warning",
          message: `another bot is using ${shown}`,
          hint: "`run` with this configuration would refuse to start.",
          details: { path },
        },
      ];
    }
    try {
      const past =
        owner === undefined ? restore(store, path).restored : openPast(config, { store }, owner);
      const orders = past.orders.length;
      const open =
        orders === 0
          ? "it has no open orders"
          : `it has ${counted(orders, "order")} that may still be open; \`run\` looks them up at its start`;
      return [{ status: "ok", message: `${shown}: ${open}`, details: { path, orders } }];
    } finally {
      store.unlock(path);
    }
  },
};
