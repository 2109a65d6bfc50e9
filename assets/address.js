/** The step in the page's address. */

/** @import { Player } from "./player.js" */
import { arrivedWith } from "./links.js";

const PAUSE = 150; // ms: a held key steps faster than browsers accept new addresses

/** The step that a fragment names, from 0. @param {string} hash */
export const stepIn = (hash) => (/^#step-\d+$/.test(hash) ? Number(hash.slice(6)) - 1 : null);

export class Address {
  pathname = "";
  written = -Infinity; // when
  /** @type {number | undefined} */ timer;

  /** @param {Player} player */
  constructor(player) {
    this.player = player;
  }

  /** Other steps have come, perhaps on another page. */
  turn() {
    this.pathname = location.pathname;
    clearTimeout(this.timer);
  }

  step() {
    const hash = location.hash || arrivedWith(location.pathname);
    return this.player.data.stage ? stepIn(hash) : null;
  }

  /** Streamlit drops it when it changes the query, also after it has called the player. */
  keep() {
    if (this.player.index > 0 && !location.hash && location.pathname === this.pathname) this.write();
  }

  write() {
    if (!this.player.data.stage) return; // a second player on the page
    const { pathname } = location;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (location.pathname !== pathname) return;
      this.written = performance.now();
      history.replaceState(history.state, "", `${pathname}${location.search}#step-${this.player.index + 1}`);
    }, Math.max(0, this.written + PAUSE - performance.now()));
  }
}
