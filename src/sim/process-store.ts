import type { AppendFile, Store } from "../ports/store.ts";

/** The disk as a process of the simulation has it: once that is killed, it writes, locks and unlocks nothing. */
export function processStore(disk: Store, isDead: () => boolean): Store {
  return {
    openAppend: (path, options) =>
      isDead() ? unwritten : appendFile(disk.openAppend(path, options), isDead),
    openRead: (path) => disk.openRead(path),
    write: (path, bytes) => (isDead() ? never() : disk.write(path, bytes)),
    openReplacement(path) {
      const replacement = isDead() ? undefined : disk.openReplacement(path);
      return {
        append: (bytes) => (isDead() ? undefined : replacement?.append(bytes)),
        commit: () => (isDead() ? undefined : replacement?.commit()),
        discard: () => replacement?.discard(),
      };
    },
    stateOf: (path) => disk.stateOf(path),
    read: (path) => disk.read(path),
    list: (folder) => disk.list(folder),
    rename: (from, to) => (isDead() ? undefined : disk.rename(from, to)),
    remove: (path) => (isDead() ? undefined : disk.remove(path)),
    lock: (folder, options) => !isDead() && disk.lock(folder, options),
    unlock: (folder) => (isDead() ? undefined : disk.unlock(folder)),
  };
}

function appendFile(file: AppendFile, isDead: () => boolean): AppendFile {
  return {
    get size() {
      return file.size;
    },
    append: (bytes) => (isDead() ? undefined : file.append(bytes)),
    sync: () => (isDead() ? never() : file.sync()),
    close: () => (isDead() ? undefined : file.close()),
  };
}

const unwritten: AppendFile = {
  size: 0,
  append: () => undefined,
  sync: never,
  close: () => undefined,
};

function never(): Promise<void> {
  return new Promise(() => undefined);
}
