/** One number as a reader types it: arithmetic, read by hand and never run. The grammar is that of
 * lessons/kit/expression.py, rule for rule and name for name; tests/numbers.json holds both to it. */

/** @import { Fraction } from "./fraction.js" */
import { apply, fraction, fromFloat, kept, minus, nearest, over, plus, power, times, Unreadable } from "./fraction.js";

const MOST_TYPED = 200; // characters
const MOST_NESTED = 20;

/** Of one argument, which stands in brackets. @type {Record<string, (x: number) => number>} */
const FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, ln: Math.log };
/** @type {Record<string, Fraction>} */
const CONSTANTS = { e: fromFloat(Math.E) };

const SIGNS = { "*": "×·⋅∙∗・", "/": "÷∕", "-": "−–‒", "万": "萬", "亿": "億" };
const RAISED = "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", LEVEL = "+-0123456789";
/** @type {Record<string, number>} */
const TIMES = { thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12, 十: 10, 百: 100, 千: 1e3, 万: 1e4, 亿: 1e8 };
const FACTOR = Object.keys(TIMES).join("|");
const MYRIADS = String.raw`(?:\d+亿)?\d{1,4}万\d{4}(?!\d)|\d+亿\d{1,4}万`; // 3万5 is 35 000 to many, so it is not read
const WHOLE = String.raw`[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+)(?!\d)|\d+|(?=\.\d)`;
const PART = String.raw`\.\d{3}(?: \d{3})* \d{1,3}(?!\d)|\.\d*`; // 78.539 816, as calculators show it
const NUMBER = String.raw`(?:${WHOLE})(?:${PART})?(?:e[+-]?\d+)?`;
const NAME = [...Object.keys(FUNCTIONS), ...Object.keys(CONSTANTS)].join("|");
const TOKEN = new RegExp(String.raw`[ \t-\r]*(${MYRIADS}|${NUMBER}|(?:${FACTOR})+|${NAME}|[-+*/^()√%])`, "iy");
const POINTS_GROUP = /(?<![\d.])([1-9]\d{0,2}(?:\.\d{3})+),(?=\d)/g; // 1.000,5
// What Python calls white space.
const SPACE = String.raw`[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const STRIP = new RegExp(`^${SPACE}+|${SPACE}+$`, "g");
const ABOUT = new RegExp(`^[=≈~约]${SPACE}*`);
const BY = new RegExp(`(?<=[0-9)])(?<!(?<![0-9.])0)(${SPACE}*)x(?=${SPACE}*[0-9(])`, "gi"); // not 0x1

/** What a typed number may mean, the likeliest first; nothing where it is none. A comma groups digits or stands for the
 * point; and where a share in % is asked, a % may stand behind it.
 * @param {string} typed */
export function readings(typed) {
  if ([...typed].length > MOST_TYPED) return [];
  const text = plain(typed), grouped = text.replace(POINTS_GROUP, (_, whole) => whole.replaceAll(".", "") + ".");
  const ways = [text, text.replace(/,(?=\d)/g, "."), grouped].flatMap((way) => [way, way.replace(/%$/, "")]);
  return [
    ...new Set([...new Set(ways)].flatMap((way) => {
      try {
        return [value(way)];
      } catch (error) {
        if (error instanceof Unreadable) return [];
        throw error;
      }
    })),
  ];
}

/** In the characters that the grammar knows. @param {string} typed */
export function plain(typed) {
  let text = typed.replace(/(?<=\p{Nd})[\u2007\u2009\u202f\u00a0](?=\p{Nd}{3}(?!\p{Nd}))/gu, "")
    .replace(
      new RegExp(`[${RAISED}]+`, "g"),
      (power) => `^(${[...power].map((sign) => LEVEL[RAISED.indexOf(sign)]).join("")})`,
    )
    .normalize("NFKC");
  for (const [sign, spelled] of Object.entries(SIGNS)) text = text.replace(new RegExp(`[${spelled}]`, "g"), sign);
  return text.replaceAll("**", "^").replace(STRIP, "").replace(ABOUT, "").replace(BY, "$1*");
}

/** The value of a `plain` text. Throws Unreadable where it has none that is finite and real. @param {string} text */
export function value(text) {
  const reader = new Reader(tokens(text)), x = reader.total();
  if (reader.next) throw new Unreadable();
  return nearest(x);
}

/** @param {string} text */
function tokens(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match; (match = TOKEN.exec(text)); end = TOKEN.lastIndex) found.push(match[1].toLowerCase());
  if (text.slice(end).replace(STRIP, "")) throw new Unreadable();
  return found;
}

/** Recursive descent: total → product → signed → power → part → atom. Every token is read once. */
class Reader {
  at = 0;
  depth = 0;

  /** @param {string[]} tokens */
  constructor(tokens) {
    this.tokens = tokens;
  }

  get next() {
    return this.tokens[this.at] ?? "";
  }

  /** The next token, if it is one of the characters `wanted`; otherwise nothing is taken. @param {string} wanted */
  take(wanted) {
    return this.next && wanted.includes(this.next) ? this.tokens[this.at++] : "";
  }

  total() {
    let x = this.product();
    for (let sign; (sign = this.take("+-"));) x = plus(x, sign === "+" ? this.product() : minus(this.product()));
    return x;
  }

  product() {
    let x = this.signed();
    for (let sign; (sign = this.take("*/"));) x = (sign === "*" ? times : over)(x, this.signed());
    return x;
  }

  signed() {
    return this.take("+-") === "-" ? minus(this.power()) : this.power();
  }

  /** @returns {Fraction} */
  power() {
    const base = this.part();
    if (!this.take("^")) return base;
    this.deeper();
    const exponent = this.signed();
    this.depth -= 1;
    return power(base, exponent);
  }

  /** An atom, or so many hundredths of one. */
  part() {
    let x = this.atom();
    while (this.take("%")) x = over(x, fraction(100n));
    return x;
  }

  /** @returns {Fraction} */
  atom() {
    if (this.take("√")) {
      this.deeper();
      const root = apply(FUNCTIONS.sqrt, this.atom());
      this.depth -= 1;
      return root;
    }
    if (Object.hasOwn(CONSTANTS, this.next)) return CONSTANTS[this.tokens[this.at++]];
    const called = Object.hasOwn(FUNCTIONS, this.next) ? FUNCTIONS[this.tokens[this.at++]] : null;
    if (!this.take("(")) {
      if (called) throw new Unreadable();
      return this.number();
    }
    this.deeper();
    const x = this.total();
    if (!this.take(")")) throw new Unreadable();
    this.depth -= 1;
    return times(called ? apply(called, x) : x, this.times());
  }

  number() {
    const token = this.next;
    if (!/^[\d.]/.test(token)) throw new Unreadable();
    this.at += 1;
    return times(literal(token), this.times());
  }

  /** What 万, 亿, 百万, million behind a number multiply it by. */
  times() {
    const words = /^\d/.test(this.next) ? null : this.next.match(new RegExp(FACTOR, "g"));
    this.at += words ? 1 : 0;
    return fraction((words ?? []).reduce((product, word) => product * BigInt(TIMES[word]), 1n));
  }

  deeper() {
    this.depth += 1;
    if (this.depth > MOST_NESTED) throw new Unreadable();
  }
}

/** @param {string} token */
function literal(token) {
  const pieces = [...token.matchAll(/(\d+)([万亿])/g)];
  const rest = token.slice(token.lastIndexOf("万") + 1);
  if (pieces.length) {
    return kept(
      fraction(pieces.reduce((sum, [, digits, unit]) => sum + BigInt(digits) * BigInt(TIMES[unit]), BigInt(rest))),
    );
  }
  const ungrouped = token.replace(/[, ]/g, ""), x = Number(ungrouped);
  if (!x) return fraction(0n);
  if (!Number.isFinite(x)) return fromFloat(x); // looked at first: the fraction of 1e999999999 would take for ever
  const [digits, exponent = "0"] = ungrouped.split("e"), [whole, part = ""] = digits.split(".");
  const tens = Number(exponent) - part.length, size = BigInt(whole + part);
  return kept(tens < 0 ? fraction(size, 10n ** BigInt(-tens)) : fraction(size * 10n ** BigInt(tens)));
}
