// Marks the moments that decided a metric, and opens what a printer should see.
"use strict";
document.documentElement.classList.add("js");
const marked = () => document.querySelectorAll(".marked");
function choose(button) {
  const on = button.getAttribute("aria-pressed") !== "true";
  for (const other of document.querySelectorAll(".value button[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
  for (const element of marked()) element.classList.remove("marked");
  button.setAttribute("aria-pressed", String(on));
  if (!on) return;
  const links = [...button.parentElement.querySelectorAll(".moments a")].filter((a) => document.getElementById(a.hash.slice(1)));
  for (const link of links) document.getElementById(link.hash.slice(1)).classList.add("marked");
  const first = links.find((a) => a.hasAttribute("data-bad")) || links[0];
  if (first) document.getElementById(first.hash.slice(1)).scrollIntoView({ block: "nearest" });
}
for (const button of document.querySelectorAll(".value button")) button.addEventListener("click", () => choose(button));
const open = (on) => { for (const details of document.querySelectorAll("details")) details.open = on; };
addEventListener("beforeprint", () => open(true));
addEventListener("afterprint", () => open(false));
