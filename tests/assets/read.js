/** Reads a list of texts and writes the readings of each. */

import { readings } from "../../assets/numbers.js";

console.log(JSON.stringify((await new Response(Deno.stdin.readable).json()).map(readings)));
