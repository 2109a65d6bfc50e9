import { stepIn } from "../../assets/address.js";
import { addressWith } from "../../assets/copy_link.js";
import { appsLink, arrivedWith, fragmentOf } from "../../assets/links.js";
import { equal, same } from "./assert.js";

Deno.test("a fragment names a step, counted from 1, or none", () => {
  equal(stepIn("#step-1"), 0);
  equal(stepIn("#step-12"), 11);
  for (const hash of ["", "#step-", "#step-x", "#step-1a", "step-1", "#step--1", "#step-1.5", "#term-tile"]) {
    equal(stepIn(hash), null, hash);
  }
});

Deno.test("the fragment of the address a page was opened with counts on that page only", () => {
  equal(fragmentOf("http://127.0.0.1:8501/paged?lang=zh#step-3", "/paged"), "#step-3");
  equal(fragmentOf("http://127.0.0.1:8501/paged#step-3", "/flash"), "");
  equal(fragmentOf("http://127.0.0.1:8501/paged", "/paged"), "");
  equal(fragmentOf(null, "/paged"), "");
});

Deno.test("where the browser tells of no navigation there is no fragment", () => {
  equal(arrivedWith("/paged"), "");
  equal(arrivedWith("/paged"), "");
});

Deno.test("the app's own link is the one to the same page that opens here", () => {
  const links = [{ pathname: "/a", target: "_blank" }, { pathname: "/b", target: "" }, { pathname: "/a", target: "" }];
  same(appsLink(links, "/a"), links[2]);
  same(appsLink(links, "/b"), links[1]);
  same(appsLink(links, "/c"), undefined);
});

Deno.test("a copied link has another query and no fragment", () => {
  equal(
    addressWith(new URL("http://host:8501/check?lang=en#step-2"), "lang=zh&set=4"),
    "http://host:8501/check?lang=zh&set=4",
  );
});
