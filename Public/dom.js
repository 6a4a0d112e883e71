// Elements without markup: text only ever becomes text nodes, so nothing that a server or a wallet says is
// read as HTML.

const svgNamespace = "http://www.w3.org/2000/svg";

/**
 * Makes an HTML element: `h("p.note", { id: "n" }, "text", child)`. Attributes that are null or false are left
 * out, functions become listeners (`onclick`), children that are null or false are skipped.
 */
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  return fill(element, rest);
}

/** Makes an SVG element, as `h` does. */
export function s(selector, ...rest) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElementNS(svgNamespace, tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return fill(element, rest);
}

function fill(element, rest) {
  const [first] = rest;
  const hasAttributes = first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  if (hasAttributes) {
    rest.shift();
    for (const [name, value] of Object.entries(first)) {
      if (value == null || value === false) continue;
      if (typeof value === "function") element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...rest.flat(3).filter((child) => child != null && child !== false));
  return element;
}

/** A term and its value, for a `dl`. */
export function pair(term, ...value) {
  return h("div", h("dt", term), h("dd", ...value));
}
