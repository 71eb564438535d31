// The theme's search box is a dialog without a name; a screen reader needs one.
document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search")
