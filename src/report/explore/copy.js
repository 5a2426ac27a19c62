// Putting words into the clipboard.

/** In browsers that do not allow it to pages of files, by way of a field with this name. */
async function copyWords(words, name) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const area = document.createElement("textarea");
    area.value = words;
    area.setAttribute("aria-label", name);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
