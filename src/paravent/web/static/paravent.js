// What the page does in the browser by itself: the language of the document, and where the focus is.
(() => {
  const language = () => document.querySelector('meta[name="paravent-language"]')?.content || "en";
  document.documentElement.lang = language();

  // A screen that is built anew gives the focus back to the element of the same name (data-keep).
  let kept = null;
  document.addEventListener("focusin", (event) => {
    kept = event.target.closest?.("[data-keep]")?.dataset.keep ?? null;
  });
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.("[data-keep]")) kept = null;
  });
  const lost = () => !document.activeElement || document.activeElement === document.body;
  new MutationObserver(() => {
    document.documentElement.lang = language();
    if (kept === null || !lost()) return;
    const found = [...document.querySelectorAll("[data-keep]")].find((each) => each.dataset.keep === kept);
    if (!found || !found.offsetParent) return;
    const inner = found.matches("button, a, input, [tabindex]") ? found : found.querySelector("button, a, input, [tabindex]");
    (inner || found).focus({ preventScroll: true });
  }).observe(document.documentElement, { childList: true, subtree: true });

  // Whoever goes to another screen begins at its heading. The first screen is left as the browser opened it.
  let first = true;
  window.paravent = {
    arrived() {
      if (first) {
        first = false;
        return;
      }
      kept = null;
      const wait = (tries) => {
        const heading = document.querySelector(".pv-main h1");
        if (heading) heading.focus({ preventScroll: true });
        else if (tries > 0) setTimeout(() => wait(tries - 1), 50);
      };
      setTimeout(() => wait(40), 50);
    },
  };
})();

// Trees: groups fold, and nodes are dragged onto groups. The server hears of a move by the event `pvmove`.
(() => {
  const row = (event) => event.target.closest?.(".pv-tree__row");
  let dragged = null;
  document.addEventListener("click", (event) => {
    const fold = event.target.closest?.(".pv-tree__fold");
    if (!fold) return;
    const shut = fold.closest("li").classList.toggle("is-shut");
    fold.setAttribute("aria-expanded", String(!shut));
  });
  document.addEventListener("dragstart", (event) => {
    const from = row(event);
    if (!from || from.getAttribute("draggable") !== "true") return;
    dragged = from;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", from.dataset.node);
  });
  document.addEventListener("dragover", (event) => {
    const onto = row(event);
    if (!dragged || !onto || onto.closest(".pv-tree") !== dragged.closest(".pv-tree")) return;
    event.preventDefault();
    document.querySelectorAll(".pv-tree__row--over").forEach((each) => each.classList.remove("pv-tree__row--over"));
    onto.classList.add("pv-tree__row--over");
  });
  document.addEventListener("dragend", () => {
    dragged = null;
    document.querySelectorAll(".pv-tree__row--over").forEach((each) => each.classList.remove("pv-tree__row--over"));
  });
  document.addEventListener("drop", (event) => {
    const onto = row(event);
    if (!dragged || !onto || onto === dragged) return;
    event.preventDefault();
    const detail = { node: dragged.dataset.node, onto: onto.dataset.node };
    onto.closest(".pv-tree").dispatchEvent(new CustomEvent("pvmove", { detail }));
  });
})();
