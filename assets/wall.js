/** The player above the page: enlarged, or presenting, and what a presenter needs there. */

/** @import { Mode } from "./types.d.ts" */
/** @import { Player } from "./player.js" */
import { raise } from "./lift.js";
import { follow, opensPresenting } from "./links.js";
import { keepInMind, recall } from "./memory.js";

let handed = false; // one lesson's player has left the screen to the next one's

export class Wall {
  /** Whether the next lesson is offered: then the next press goes there. */
  offered = false;

  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.strengthen(recall("contrast") === "strong");
  }

  /** A lesson has come: by a link to its presentation, or from the last step of another one's. */
  begin() {
    const asked = opensPresenting(location.pathname);
    if (asked || handed) this.lift("presenting");
    handed = false;
  }

  /** In the top layer, above whatever the page puts around it. @param {Mode} mode @param {boolean} [filling] another
   * player comes at once */
  lift(mode, filling) {
    const { player } = this, { root, shadow, data, predict, zoom, fit } = player;
    if (!player.mode) this.lower = raise(root, shadow);
    zoom.enter(mode === "enlarged");
    player.mode = root.dataset.mode = mode;
    root.classList.remove("blank");
    this.offer(false);
    predict.hall = false;
    if (data.steps[player.index].ask) predict.reveal(); // nothing is asked here, nor any guess shown
    if (!mode) this.lower?.(filling);
    const ready = () => (player.mode ? undefined : document.exitFullscreen());
    const fills = mode === "presenting" && !document.fullscreenElement;
    if (fills) document.documentElement.requestFullscreen?.().then(ready, () => {}); // may be refused
    player.word();
    fit.now();
  }

  followFullscreen() {
    const { mode, root } = this.player;
    if (mode !== "presenting") return;
    if (!document.fullscreenElement) return this.lift("");
    root.popover = null; // and back, above the element that has just gone full screen
    root.popover = "manual";
    root.showPopover();
  }

  /** Forward from the last step: first the offer, then the way. Says whether there is one. */
  onward() {
    const { mode, data: { onward }, index, last } = this.player;
    if (mode !== "presenting" || !onward || index < last) return false;
    if (this.offered) this.go();
    else this.offer(true);
    return true;
  }

  /** @param {boolean} offered */
  offer(offered) {
    this.offered = offered;
    this.player.parts.offer.hidden = !offered;
  }

  go() {
    const link = /** @type {HTMLAnchorElement | null} */ (this.player.parts.onward.querySelector("a"));
    if (!link) return;
    handed = true;
    if (!follow(link)) location.href = `${link.href}&present=1`;
  }

  /** The player goes, and its page with it. */
  end() {
    if (this.player.mode) this.lift("", handed);
  }

  /** Stronger fills, for a weak projector. @param {boolean} strong */
  strengthen(strong) {
    this.player.root.classList.toggle("strong", strong);
    this.player.parts.contrastButton.ariaPressed = String(strong);
  }

  contrast() {
    const strong = !this.player.root.classList.contains("strong");
    keepInMind("contrast", strong ? "strong" : "usual");
    this.strengthen(strong);
  }
}
