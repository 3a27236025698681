// Text where markup is read, in HTML and in XML.

const ENTITIES: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** @param apostrophe how one is written: XML names it, and HTML before its fifth version knew no such name */
export const escapeMarkup = (text: string, apostrophe: '&#39;' | '&apos;'): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? apostrophe);
