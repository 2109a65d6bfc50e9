/** What Python sends to the browser, as types. Never sent itself: only `deno check` reads this file. */

/** What Streamlit's components, version 2, call a default export with, at each rerun anew. What it returns is called
 * when the component goes. `parentElement` stays the same, so a component keeps its `Own` state there. */
export interface Component<Data, Own = unknown> {
  name: string;
  key: string;
  data: Data;
  parentElement: ShadowRoot & Partial<Own>; // a shadow root, since no component here asks for isolate_styles=False
  /** A value that stays. */
  setStateValue(name: string, value: unknown): void;
  /** A value for one rerun. */
  setTriggerValue: Send;
}

export type Send = (name: string, value: unknown) => void;

// The player: pages/shell/lesson/player.py

export interface Message {
  lesson: string; // the same name: the same steps, perhaps with other numbers
  stage: boolean; // the page's own player, which fills the window; its step stands in the page's address
  lang: string;
  title: string;
  question: string;
  source: string;
  ledger: { name: string; effect: string; on: boolean }[];
  words: Record<Word, string> & { key_list: [keys: string, meaning: string][] };
  choices: Choice[];
  onward: { title: string; href: string } | null;
  width: number;
  height: number;
  groups: string[]; // the distinct shapes of all steps, each an SVG group
  steps: Step[];
  legend: { svg: string; text: string }[]; // of all steps
  glossary: Record<string, string>; // HTML by slug
  code?: Code | null; // of the page's own player, where the lesson has a program
}

/** pages/shell/lesson/code.py */
export interface Code {
  lines: string[]; // HTML
  signs: ("" | "−" | "+")[]; // of each line: whether a mistake removes it or puts it in
  steps: [line: number, value: string, wrong: string][][]; // what each step runs: lines from 1, what changed there, and on the wrong way
}

export interface Step {
  id: string;
  title: string;
  label: string;
  html: string;
  table: string;
  ask: Ask | null;
  groups: number[]; // places in Message.groups
  legend: number[]; // places in Message.legend
  parts?: true; // the wrong way departs here
}

export interface Choice {
  name: string;
  label: { short: string; long: string };
  value: string;
  options: { value: string; label: string }[];
}

/** A choice counts its options from 1; a cell is named by its key. */
export type Ask = Asked<"number", number> | Asked<"choice", number> | Asked<"cell", string>;

interface Asked<Kind, Value> {
  kind: Kind;
  prompt: string;
  answer: Value;
  shown: string;
  options: string[];
  slips: { value: Value; said: string }[];
  relative: number;
  absolute: number;
  among: string[];
  positive: boolean;
}

/** What the reader committed; nothing where the step was shown without a guess. A number has each of its readings. */
export type Guess = { said: string; value: number[] | number | string } | Record<string, never>;

export type Word =
  | "next"
  | "previous"
  | "play"
  | "pause"
  | "present"
  | "leave"
  | "enlarge"
  | "close"
  | "keys"
  | "all"
  | "larger"
  | "hall"
  | "contrast"
  | "closer"
  | "farther"
  | "onward"
  | "speed"
  | "steps"
  | "figure"
  | "legend"
  | "scroll"
  | "parts"
  | "predict"
  | "asks"
  | "commit"
  | "skip"
  | "tap"
  | "guess"
  | "guess_right"
  | "truth"
  | "nonsense"
  | "next_lesson";

export type Mode = "" | "enlarged" | "presenting";

/** The parts of the player by their id in markup.js. */
export interface Parts {
  title: HTMLElement;
  question: HTMLElement;
  ledger: HTMLUListElement;
  card: HTMLElement;
  body: HTMLElement;
  strip: HTMLOListElement;
  figure: HTMLElement;
  svg: SVGSVGElement;
  under: HTMLElement;
  legend: HTMLUListElement;
  say: HTMLElement;
  words: HTMLElement;
  narration: HTMLElement;
  onward: HTMLElement;
  table: HTMLElement;
  toolbar: HTMLElement;
  offer: HTMLElement;
  stepping: HTMLElement;
  counter: HTMLElement;
  speed: HTMLSelectElement;
  choices: HTMLElement;
  definition: HTMLElement;
  keys: HTMLElement;
  keyList: HTMLDListElement;
  predictButton: HTMLButtonElement;
  previousButton: HTMLButtonElement;
  nextButton: HTMLButtonElement;
  playButton: HTMLButtonElement;
  hallButton: HTMLButtonElement;
  contrastButton: HTMLButtonElement;
  textButton: HTMLButtonElement;
  enlargeButton: HTMLButtonElement;
  presentButton: HTMLButtonElement;
}

// Progress: pages/shell/lesson/progress.py

export interface Kept {
  schema: string;
  version: number;
  most: number; // answers
  most_characters: number;
}

export interface Progress extends Kept {
  token: string; // of the session
  known: boolean; // whether the server has been told what is stored
  told: { n: number; add?: string; take?: string }[];
  focus: string | null;
  desk: Desk | null;
}

export type Desk = Record<"export" | "import" | "erase" | "sure", string>;

/** One answer in what is stored; the server looks at the rest of it. */
export interface Answer {
  id: string;
  at: string;
}

// The smaller components

/** pages/shell/lesson/replies.py */
export type Reply =
  | { kind: "cells"; label: string; rows: string[]; columns: string[] }
  | { kind: "line"; label: string; lines: { html: string; open: boolean; name: string }[] }
  | { kind: "error"; label: string; correct: string; claims: { said: string; corrections: string[] }[] }
  | { kind: "order"; label: string; options: string[]; names: { up: string; down: string } };

/** pages/shell/site/prose.py */
export interface Reader {
  html: string;
  lang: string;
  glossary: Record<string, string>;
}

/** pages/shell/site/language.py */
export interface Switch {
  label: string;
  value: string;
  options: { value: string; label: string; lang: string }[];
}

/** pages/shell/check/page.py */
export interface CopyLink {
  query: string;
  copy: string;
  copied: string;
  refused: string;
}

/** pages/shell/lesson/quiz.py */
export interface Bring {
  to: string;
  for: string;
}
